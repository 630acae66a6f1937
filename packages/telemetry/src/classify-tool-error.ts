import { isTelemetrySafeError } from '@toolgate/core';
import dns from 'node:dns';
import { getSystemErrorMap, types } from 'node:util';

const maxDepth = 8;
const maxVisits = 64;
/** A name of at least four characters that can hold no path, command or sentence. */
const plainName = /^[A-Za-z_$][A-Za-z0-9_$]{3,59}$/;

/**
 * The closed list of system codes; a `code` outside it may be any text of the thrower's.
 * Built anew each time: it costs little beside a failed call, and keeps the module free of state.
 */
const systemCodes = () =>
  new Map<unknown, string>([
    ...Array.from(getSystemErrorMap(), ([errno, [code]]) => [errno, code] as const),
    ...Array.from(getSystemErrorMap().values(), ([code]) => [code, code] as const),
    ...dnsCodes.map((code) => [code, code] as const),
  ]);
const dnsCodes: readonly string[] = [
  dns.NODATA,
  dns.FORMERR,
  dns.SERVFAIL,
  dns.NOTFOUND,
  dns.NOTIMP,
  dns.REFUSED,
  dns.BADQUERY,
  dns.BADNAME,
  dns.BADFAMILY,
  dns.BADRESP,
  dns.CONNREFUSED,
  dns.TIMEOUT,
  dns.EOF,
  dns.FILE,
  dns.NOMEM,
  dns.DESTRUCTION,
  dns.BADSTR,
  dns.BADFLAGS,
  dns.NONAME,
  dns.BADHINTS,
  dns.NOTINITIALIZED,
  dns.CANCELLED,
];

/**
 * Names the kind of a tool's error for telemetry. Never a message, path, command or source text.
 *
 * @returns the telemetry message of a `TelemetrySafeError`; else `Error:ENOENT` for a system error; else the
 *   error's `name` if it is an identifier of 4 to 60 characters; else `Error`; for anything that is no
 *   error `UnknownError`. Where the answer would be `Error`, the first better one among its causes and
 *   the members of an aggregate, nearest first. Never throws, whatever it is given.
 */
export function classifyToolError(error: unknown): string {
  const own = classifyOne(error);
  if (own !== 'Error') return own ?? 'UnknownError';
  const seen = new Set<unknown>([error]);
  let level: readonly unknown[] = [error];
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    level = level.flatMap(reasonsBehind).filter((reason) => {
      const isNew = !seen.has(reason) && seen.size < maxVisits;
      if (isNew) seen.add(reason);
      return isNew;
    });
    for (const reason of level) {
      const answer = classifyOne(reason);
      if (answer !== undefined && answer !== 'Error') return answer;
    }
  }
  return 'Error';
}

/** The answer for one error without what is behind it; undefined for what is no error. */
function classifyOne(error: unknown): string | undefined {
  if (safely(() => isTelemetrySafeError(error))) {
    const text = read(error, 'telemetryMessage');
    if (typeof text === 'string') return text;
  }
  if (!isError(error)) return undefined;
  const codes = systemCodes();
  const code = codes.get(read(error, 'code')) ?? codes.get(read(error, 'errno'));
  if (code !== undefined) return `Error:${code}`;
  const name = read(error, 'name');
  return typeof name === 'string' && plainName.test(name) ? name : 'Error';
}

/** The cause of an error, then the members of an aggregate. */
function reasonsBehind(error: unknown): readonly unknown[] {
  const members = read(error, 'errors');
  const count = safely(() => Array.isArray(members)) ? Number(read(members, 'length')) : 0;
  const few = Math.min(Number.isInteger(count) ? count : 0, maxVisits);
  return [read(error, 'cause'), ...Array.from({ length: few }, (_, index) => read(members, index))];
}

/** Errors of other realms included (`vm`, workers). */
const isError = (value: unknown): value is Error =>
  safely(() => types.isNativeError(value) || value instanceof Error) === true;

const read = (from: unknown, key: string | number): unknown =>
  safely(() =>
    typeof from === 'object' && from !== null ? Reflect.get(from, key, from) : undefined,
  );

/** The answer of `look`, or undefined when a getter or proxy on the way throws. */
function safely<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
