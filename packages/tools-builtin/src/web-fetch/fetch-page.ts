import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isIP } from 'node:net';
import { fileError as fetchError } from '../files/judged-path.ts';
import { checkedLookup, notPublic } from './public-address.ts';

/** What a server is asked with. */
export interface FetchOptions {
  readonly isAllowedAddress: (address: string) => boolean;
  /** Further certificate authorities in PEM form. */
  readonly ca?: string;
  /** Most bytes of a body, after decompression; the rest is not read. */
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly signal: AbortSignal;
}

/** The address at another host that a server names instead of a page. */
export interface Elsewhere {
  readonly kind: 'elsewhere';
  readonly from: string;
  readonly to: string;
  readonly status: number;
  readonly statusText: string;
}

/** A page as it came. */
export interface FetchedPage {
  readonly kind: 'page';
  readonly url: string;
  readonly status: number;
  readonly statusText: string;
  readonly contentType: string;
  readonly body: Buffer;
  /** The body was longer than `maxBytes`. */
  readonly isCut: boolean;
}

/** Fetches over HTTPS. Redirects are followed on the same host alone. Rejects with an error for the model. */
export async function fetchPage(
  start: URL,
  options: FetchOptions,
): Promise<FetchedPage | Elsewhere> {
  let url = start;
  for (let hop = 0; hop <= options.maxRedirects; hop += 1) {
    const response = await get(url, options);
    const { statusCode: status = 0 } = response;
    const location = [301, 302, 303, 307, 308].includes(status) && response.headers.location;
    if (location === false || location === undefined || location === '')
      return readBody(url, response, options);
    response.destroy();
    const next = URL.parse(location, url.href) ?? undefined;
    if (!next || (next.protocol !== 'https:' && next.protocol !== 'http:'))
      throw fetchError(
        `${url.href} leads to no address on the web.`,
        'a redirect to no web address',
      );
    if (next.protocol === 'http:') next.protocol = 'https:';
    if (next.host !== url.host || next.username !== '' || next.password !== '')
      return {
        kind: 'elsewhere',
        from: url.href,
        to: next.href,
        status,
        statusText: response.statusMessage ?? '',
      };
    url = next;
  }
  throw fetchError(
    `${start.href} redirects more than ${options.maxRedirects} times.`,
    'too many redirects',
  );
}

function get(url: URL, options: FetchOptions): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  // A written address is not looked up, so the look-up cannot refuse it.
  if (isIP(host) !== 0 && !options.isAllowedAddress(host)) return Promise.reject(notPublic(host));
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      lookup: checkedLookup(options.isAllowedAddress),
      signal: options.signal,
      agent: false,
      ...(options.ca !== undefined && { ca: options.ca }),
      headers: {
        'user-agent': 'toolgate-web-fetch',
        accept: 'text/markdown, text/html;q=0.9, text/*;q=0.8, application/json;q=0.8, */*;q=0.1',
        'accept-encoding': 'gzip, deflate, br',
      },
    });
    sent.once('response', resolve);
    sent.once('error', reject);
    sent.end();
  });
}

async function readBody(
  url: URL,
  response: IncomingMessage,
  { maxBytes, signal }: FetchOptions,
): Promise<FetchedPage> {
  const chunks: Buffer[] = [];
  let size = 0;
  const body = unpacked(response);
  const stop = () => body.destroy(signal.reason as Error); // an abort's reason is an error
  signal.addEventListener('abort', stop);
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      // no encoding is set, so bytes
      chunks.push(chunk);
      size += chunk.length;
      if (size > maxBytes) break;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    response.destroy();
  }
  return {
    kind: 'page',
    url: url.href,
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? '',
    contentType: response.headers['content-type'] ?? '',
    body: Buffer.concat(chunks).subarray(0, maxBytes),
    isCut: size > maxBytes,
  };
}

/** The body as it was before it was packed. One packing at most: more would be a bomb. */
function unpacked(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return response;
  const unpacker = unpackers[encoding]?.();
  if (unpacker) return pipeline(response, unpacker, () => undefined); // what fails ends the body, too
  response.destroy();
  throw fetchError(
    `The server packed its answer in a way that cannot be read (${encoding.slice(0, 40)}).`,
    'an unknown content encoding',
  );
}

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};
