// Placeholder: the public names of @toolgate/tools-builtin/grep are listed here.
export {};
