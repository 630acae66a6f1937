// Placeholder: the public names of @toolgate/tools-builtin/read are listed here.
export {};
