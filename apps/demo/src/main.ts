// Placeholder: the demo starts here.
export {};
