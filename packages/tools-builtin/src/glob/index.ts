// Placeholder: the public names of @toolgate/tools-builtin/glob are listed here.
export {};
