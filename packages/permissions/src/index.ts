// Placeholder: the public names of @toolgate/permissions are listed here.
export {};
