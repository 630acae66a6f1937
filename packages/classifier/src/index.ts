// Placeholder: the public names of @toolgate/classifier are listed here.
export {};
