// Placeholder: the public names of toolgate are listed here.
export {};
