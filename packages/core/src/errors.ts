const brand = Symbol.for('toolgate.error');
const telemetryBrand = Symbol.for('toolgate.telemetry-safe');
const changedBrand = Symbol.for('toolgate.changed-since-approval');

/** What a set-up mistake is about. */
export type ToolgateErrorCode =
  | 'TG_TOOL_INVALID'
  | 'TG_NAME_TAKEN'
  | 'TG_PLUGIN_INVALID'
  | 'TG_PLUGIN_MISSING'
  | 'TG_SLOT_UNKNOWN'
  | 'TG_OPTION_INVALID'
  | 'TG_CLOSED';

/** A mistake made while a gate is built, never during a call. Found by brand: two copies of core may be installed. */
export class ToolgateError extends Error {
  readonly code: ToolgateErrorCode;
  readonly [brand] = true;
  constructor(code: ToolgateErrorCode, message: string) {
    super(message);
    this.name = 'ToolgateError';
    this.code = code;
  }
}

/** True for a ToolgateError of any copy of core. */
export const isToolgateError = (value: unknown): value is ToolgateError =>
  typeof value === 'object' && value !== null && (value as { [brand]?: unknown })[brand] === true; // a brand look-up on an unknown object

/**
 * An error whose `telemetryMessage` was checked by its author to hold no input, path, command or secret.
 * `message` is for the model and may hold all of these.
 */
export class TelemetrySafeError extends Error {
  readonly telemetryMessage: string;
  readonly [telemetryBrand] = true;
  constructor(message: string, telemetryMessage: string = message) {
    super(message);
    this.name = 'TelemetrySafeError';
    this.telemetryMessage = telemetryMessage;
  }
}

/** True for a TelemetrySafeError of any copy of core. */
export const isTelemetrySafeError = (value: unknown): value is TelemetrySafeError =>
  typeof value === 'object' &&
  value !== null &&
  (value as { [telemetryBrand]?: unknown })[telemetryBrand] === true; // as above

/**
 * Thrown by a trusted tool that found something else than what was approved, and did nothing: the call ends as
 * the refusal `changed_since_approval`, as if core had seen it.
 */
export class ChangedSinceApproval extends TelemetrySafeError {
  readonly [changedBrand] = true;
  constructor(message: string, telemetryMessage = 'something changed since it was approved') {
    super(message, telemetryMessage);
    this.name = 'ChangedSinceApproval';
  }
}

/** True for a ChangedSinceApproval of any copy of core. */
export const isChangedSinceApproval = (value: unknown): value is ChangedSinceApproval =>
  typeof value === 'object' &&
  value !== null &&
  (value as { [changedBrand]?: unknown })[changedBrand] === true; // as above
