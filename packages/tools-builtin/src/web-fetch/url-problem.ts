import { isIP } from 'node:net';

/** Why an address cannot be fetched, for the model; undefined when it can be tried. */
export function urlProblem(
  text: string,
  isAllowedAddress: (address: string) => boolean,
): string | undefined {
  if (text.length > 2_000) return 'The address is longer than 2,000 characters.';
  const url = URL.parse(text);
  if (!url) return 'This is no address. Give the whole of it, such as https://example.com/page.';
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    return `WebFetch reads https and http, not ${url.protocol.slice(0, 20)}`;
  if (url.username !== '' || url.password !== '')
    return 'The address holds a user name or password. Take it out; WebFetch reads public pages.';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowedAddress(host))
    return `${host} is no address of the open internet. WebFetch reaches public servers alone.`;
  return undefined;
}

/** The address that is really asked: over HTTPS and without its fragment. */
export function addressOf(text: string): URL {
  const url = new URL(text);
  if (url.protocol === 'http:') url.protocol = 'https:';
  url.hash = '';
  return url;
}
