// Placeholder: the public names of @toolgate/tools-builtin are listed here.
export {};
