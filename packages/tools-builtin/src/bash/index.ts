// Placeholder: the public names of @toolgate/tools-builtin/bash are listed here.
export {};
