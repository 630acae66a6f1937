// Placeholder: the public names of @toolgate/core are listed here.
export {};
