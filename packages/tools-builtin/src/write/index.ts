// Placeholder: the public names of @toolgate/tools-builtin/write are listed here.
export {};
