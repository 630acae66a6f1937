// Placeholder: the public names of @toolgate/hooks are listed here.
export {};
