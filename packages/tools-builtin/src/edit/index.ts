// Placeholder: the public names of @toolgate/tools-builtin/edit are listed here.
export {};
