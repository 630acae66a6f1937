import type { Argument } from './expand.ts';

/** An argument that is written out. */
export const plainArgument = (text: string): Argument => ({
  source: text,
  kind: 'literal',
  texts: [text],
  prefixes: [text],
  anchored: !text.startsWith('-'),
  many: false,
  climbs: false,
  process: false,
  constant: true,
  emptied: text,
  trouble: undefined,
});
