import { lookup, type LookupAddress } from 'node:dns';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { messageOf } from '@toolgate/core';
import { visibleLine } from './bounded-text.ts';
import { failedEnd, textEnd, type HandlerEnd } from './handler-end.ts';
import type { Handler, HandlerOf } from './handler.ts';
import { isLoopbackHost, isPrivateAddress, matchesUrl, type HttpPolicy } from './http-policy.ts';
import { within } from './within.ts';

const maxBytes = 1024 * 1024;
const maxRedirects = 5;

export interface HttpSurroundings {
  readonly policy: HttpPolicy;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Thrown inside this file only: why a request is not made or its answer not taken. */
class Refused extends Error {}

/**
 * Posts the payload to a hook's URL (protocol 1.10). Only a JSON object beside a status 2xx says anything. It
 * follows redirects within the same scheme, host and port alone, and talks to private addresses only where the
 * URL names this machine or `allowedHttpHookUrls` names the URL.
 */
export const runHttp = (
  handler: Handler & HandlerOf<'http'>,
  stdin: string,
  surroundings: HttpSurroundings,
  signal: AbortSignal,
): Promise<HandlerEnd> =>
  within(
    async (own) => endOf(await post(handler, stdin, surroundings, own)),
    { timeoutMs: handler.timeoutMs, signal },
    (error) =>
      error instanceof Refused
        ? failedEnd(error.message, 'hook-not-started')
        : failedEnd(`could not be reached: ${visibleLine(messageOf(error))}`, 'hook-not-started'),
  );

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly isCut: boolean;
}

function endOf({ status, body, isCut }: Answer): HandlerEnd {
  if (status < 200 || status > 299)
    return failedEnd(`failed: the server answered with status ${status}`);
  if (isCut) return failedEnd('answered with more than 1 MiB', 'hook-output-invalid');
  const text = body.trim();
  if (text !== '' && !text.startsWith('{'))
    return failedEnd('answered with something else than a JSON object', 'hook-output-invalid');
  return textEnd(text);
}

async function post(
  handler: Handler & HandlerOf<'http'>,
  body: string,
  { policy, env }: HttpSurroundings,
  signal: AbortSignal,
): Promise<Answer> {
  const allowed = policy.urlsFor(handler);
  const headers = headersOf(handler, policy, env);
  let url = readUrl(handler.url);
  for (let hops = 0; hops <= maxRedirects; hops++) {
    const isNamed =
      allowed?.some((pattern) => pattern !== '*' && matchesUrl(pattern, url)) ?? false;
    if (allowed && !isNamed && !allowed.includes('*'))
      throw new Refused(`was not called: "allowedHttpHookUrls" does not name ${url.origin}`);
    const mayBePrivate = isNamed || isLoopbackHost(url.hostname);
    const response = await send(url, { body, headers, mayBePrivate, signal });
    const { statusCode: status = 0 } = response;
    const { location } = response.headers;
    if (![301, 302, 303, 307, 308].includes(status) || location === undefined)
      return read(response, status);
    response.destroy();
    const next = readUrl(location, url);
    if (next.origin !== url.origin)
      throw new Refused(
        `was not followed: the server redirects to another host, ${visibleLine(next.origin, 80)}`,
      );
    url = next;
  }
  throw new Refused(`was not followed: more than ${maxRedirects} redirects`);
}

function readUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw new Refused('was not called: its "url" is no http or https URL');
  if (url.username !== '' || url.password !== '')
    throw new Refused('was not called: its "url" holds a name or password; put them in "headers"');
  return url;
}

function send(
  url: URL,
  request: {
    readonly body: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly mayBePrivate: boolean;
    readonly signal: AbortSignal;
  },
): Promise<IncomingMessage> {
  const { body, headers, mayBePrivate, signal } = request;
  const literal = url.hostname.replaceAll(/^\[|\]$/g, '');
  if (!mayBePrivate && isIP(literal) !== 0 && isPrivateAddress(literal)) throw isPrivate(url);
  return new Promise((resolve, reject) => {
    const make = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const outgoing = make(url, {
      method: 'POST',
      agent: false,
      signal,
      lookup: checkedLookup(url, mayBePrivate),
      headers: {
        ...headers,
        'Accept-Encoding': 'identity',
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      },
    });
    outgoing.on('response', resolve);
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const isPrivate = (url: URL) =>
  new Refused(
    `was not called: ${visibleLine(url.hostname, 80)} is a private address; name the URL in "allowedHttpHookUrls" to allow it`,
  );

/** Looks a name up once, for the very connection that is made: nobody can answer otherwise in between. */
const checkedLookup =
  (url: URL, mayBePrivate: boolean): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      if (error) return callback(error, '');
      const [first] = found;
      if (!first || (!mayBePrivate && found.some(({ address }) => isPrivateAddress(address))))
        return callback(isPrivate(url), '');
      return options.all ? callback(null, found) : callback(null, first.address, first.family);
    });

function read(response: IncomingMessage, status: number): Promise<Answer> {
  const { 'content-encoding': encoding = 'identity' } = response.headers;
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const end = (isCut: boolean) => {
      response.destroy();
      resolve({ status, body: Buffer.concat(chunks).toString('utf8'), isCut });
    };
    if (encoding !== 'identity') {
      response.destroy();
      return reject(
        new Refused(`failed: the server answered in the encoding ${visibleLine(encoding, 40)}`),
      );
    }
    response.on('error', reject);
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) return end(true);
      chunks.push(chunk);
    });
    response.on('end', () => end(false));
    response.on('close', () =>
      reject(new Error('the connection was closed before the answer was whole')),
    );
  });
}

/** Set by the request itself. */
const ownHeaders = new Set([
  'content-length',
  'transfer-encoding',
  'content-type',
  'accept-encoding',
]);

/** Headers with `$NAME` and `${NAME}` filled from the variables that both the hook and the settings allow. */
function headersOf(
  { headers, allowedEnvVars }: HandlerOf<'http'>,
  { envVars }: HttpPolicy,
  env: HttpSurroundings['env'],
): Record<string, string> {
  const mayUse = (name: string) =>
    allowedEnvVars.includes(name) && (envVars === undefined || envVars.includes(name));
  const fill = (text: string) =>
    text.replaceAll(
      /\$(?:\{(\w+)\}|([A-Za-z_]\w*))/g,
      (_, braced: string | undefined, bare: string | undefined) => {
        const name = braced ?? bare ?? '';
        return mayUse(name) ? (env[name] ?? '') : '';
      },
    );
  const own = Object.entries(headers).filter(([name]) => !ownHeaders.has(name.toLowerCase()));
  return Object.fromEntries(own.map(([name, value]) => [name, fill(value)]));
}
