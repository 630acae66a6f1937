// Placeholder: the public names of @toolgate/telemetry are listed here.
export {};
