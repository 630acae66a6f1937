// Placeholder: the public names of @toolgate/settings are listed here.
export {};
