import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { fileError as fetchError } from '../files/judged-path.ts';

/** True for an address of the open internet: none of this machine, a private network, a link or a reserved range. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  // `::ffff:127.0.0.1` is 127.0.0.1; translated and tunnelled forms carry one inside and are refused by their range.
  return ipaddr.process(address).range() === 'unicast';
}

/**
 * A name resolution for one connection: every address the name has must pass, and the connection goes to one
 * of these and nowhere else, so that a name which changes its answer gains nothing.
 */
export const checkedLookup =
  (isAllowed: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error) return callback(error, []);
      const refused = found.find(({ address }) => !isAllowed(address));
      if (refused || found.length === 0) return callback(notPublic(hostname), []);
      const [first] = found;
      if (options.all) return callback(null, found);
      return callback(null, first?.address ?? '', first?.family);
    });
  };

/** What is said of an address that must not be reached. */
export const notPublic = (host: string): Error =>
  fetchError(
    `${host} is no address of the open internet, so nothing was fetched. WebFetch reaches public servers alone.`,
    'the address is not public',
  );
