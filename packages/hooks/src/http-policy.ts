import { isIP, BlockList } from 'node:net';
import type { SettingValue } from '@toolgate/core';
import type { Handler } from './handler.ts';

/** What the settings say of `http` hooks. */
export interface HttpPolicy {
  /** The patterns an URL must match one of; undefined when nothing limits this handler. */
  urlsFor(handler: Handler): readonly string[] | undefined;
  /** The environment variables that headers may use; undefined when nothing limits them. */
  readonly envVars: readonly string[] | undefined;
}

/**
 * Reads `allowedHttpHookUrls` and `httpHookAllowedEnvVars` of all files. Lists are joined. One outside managed
 * policy does not bind managed hooks while policy has none of its own. A list that cannot be read allows nothing.
 */
export function httpPolicy(values: readonly SettingValue[]): HttpPolicy {
  const listOf = (key: string, counts: (value: SettingValue) => boolean) => {
    const found = values.filter((value) => value.key === key && counts(value));
    return found.length === 0 ? undefined : found.flatMap(({ value }) => texts(value));
  };
  const all = listOf('allowedHttpHookUrls', () => true);
  const managed = listOf('allowedHttpHookUrls', ({ source }) => source === 'policySettings');
  return {
    urlsFor: ({ source }) => (source === 'policySettings' ? managed && all : all),
    envVars: listOf('httpHookAllowedEnvVars', () => true),
  };
}

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item: unknown) => typeof item === 'string') : [];

const escaped = (text: string) => text.replaceAll(/[\\^$.|?+()[\]{}]/g, String.raw`\$&`);
const glob = (pattern: string, star: string) =>
  new RegExp(`^${pattern.split('*').map(escaped).join(star)}$`, 's');

/**
 * True when a pattern of `allowedHttpHookUrls` means this URL. `*` alone means every URL; elsewhere it stands
 * for any text within the scheme, the host, the port or the path, and never reaches from one into the next.
 */
export function matchesUrl(pattern: string, url: URL): boolean {
  if (pattern === '*') return true;
  const read = /^([a-z*]+):\/\/(\[[^\]]*\]|[^/:?#@]*)(?::(\d+|\*))?(\/.*)?$/is.exec(pattern);
  if (!read) return false;
  const [, scheme = '', host = '', port = '', path] = read;
  const isPort = port === '*' || port === url.port || (port === portOf(url) && url.port === '');
  return (
    glob(scheme.toLowerCase(), '[a-z]*').test(url.protocol.slice(0, -1)) &&
    glob(hostName(host), '[^/]*').test(hostName(url.hostname)) &&
    isPort &&
    (path === undefined || path === '/'
      ? path === undefined || url.pathname + url.search === '/'
      : glob(path, '.*').test(url.pathname + url.search))
  );
}

const portOf = ({ protocol }: URL) => (protocol === 'https:' ? '443' : '80');
/** A host compared without its case and without a trailing dot. */
const hostName = (host: string) => host.toLowerCase().replace(/\.$/, '');

const special = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  special.addSubnet(network, bits, 'ipv4');
for (const [network, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  ['2002::', 16],
  ['2001::', 32],
] as const)
  special.addSubnet(network, bits, 'ipv6');

/** True for an address that is not of the public internet: this machine, a local network, a special range. */
export function isPrivateAddress(address: string): boolean {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? address;
  const family = isIP(mapped);
  return family === 0 || special.check(mapped, family === 4 ? 'ipv4' : 'ipv6');
}

/** True for a host that is this machine by its very name. */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostName(hostname).replaceAll(/^\[|\]$/g, '');
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
