import { domainToASCII } from 'node:url';
import type { RuleEntry } from '@toolgate/core';
import { compileGlob, matchesStars } from './star-pattern.ts';

/** One spelling of a host: lower case, ASCII, without the final dot. */
const normalHost = (host: string): string => {
  const lower = host.toLowerCase().replace(/\.$/, '');
  return /^[\u0020-\u007e]*$/.test(lower)
    ? lower
    : lower
        .split('.')
        .map((label) => (label.includes('*') ? label : domainToASCII(label) || label))
        .join('.');
};

/** True for something that can be a host or a host pattern: no scheme, port, path or blank. */
export const isHostPattern = (host: string): boolean =>
  /^\[[\da-f:.]+\]$/i.test(host) || /^[^\s/:@?#[\]\\]+$/.test(host);

/** The host in a text such as `https://host:8443/x`; deny and ask rules go by it when written so. */
export const hostWithin = (text: string): string =>
  text.replace(/^[a-z][a-z\d+.-]*:\/\//i, '').replace(/(?<!^\[[^\]]*)[/:?#].*$/s, '');

/** `WebFetch(domain:…)` rules (protocol 3.7): exact hosts and `*.host` in maps, other stars one by one. */
export class DomainIndex {
  readonly #exact = new Map<string, RuleEntry>();
  /** Keyed by what follows `*.`: any depth of subdomain, not the domain itself. */
  readonly #below = new Map<string, RuleEntry>();
  readonly #stars: { readonly pattern: string; readonly entry: RuleEntry }[] = [];

  add(host: string, entry: RuleEntry): void {
    const pattern = normalHost(host);
    if (!pattern.includes('*')) this.#exact.set(pattern, this.#exact.get(pattern) ?? entry);
    else if (/^\*\.[^*]+$/.test(pattern))
      this.#below.set(pattern.slice(2), this.#below.get(pattern.slice(2)) ?? entry);
    else this.#stars.push({ pattern, entry });
  }

  /** Any rule at all: what a call might hit whose host is not known. */
  first(): RuleEntry | undefined {
    const [entry] = [...this.#exact.values(), ...this.#below.values()];
    return entry ?? this.#stars[0]?.entry;
  }

  /** @param content  A unit's content, `domain:host`. */
  find(content: string): RuleEntry | undefined {
    const host = normalHost(content.replace(/^domain:/, ''));
    if (host === '') return undefined;
    const exact = this.#exact.get(host);
    if (exact) return exact;
    for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
      const found = this.#below.get(host.slice(dot + 1));
      if (found) return found;
    }
    return this.#stars.find(({ pattern }) => matchesHost(pattern, host))?.entry;
  }
}

function matchesHost(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  const deep = pattern.startsWith('*.');
  const wanted = (deep ? pattern.slice(2) : pattern).split('.');
  const labels = host.split('.');
  if (deep ? labels.length <= wanted.length : labels.length !== wanted.length) return false;
  return labels
    .slice(-wanted.length)
    .every((label, at) => matchesStars(compileGlob(wanted[at] ?? ''), label));
}
