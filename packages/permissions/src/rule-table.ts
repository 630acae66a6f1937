import type { RuleEntry } from '@toolgate/core';
import { CommandIndex } from './command-index.ts';
import { DomainIndex } from './domain-index.ts';
import { NameIndex } from './name-index.ts';
import type { ParameterRule } from './parameter-rule.ts';
import { PathIndex } from './path-index.ts';
import type { Reading } from './path-pattern.ts';

/** The compiled rules of one list: all denies, all asks or all allows. */
export interface RuleTable {
  readonly reading: Reading;
  /** Rules about whole tools. */
  readonly names: NameIndex;
  readonly parameters: NameIndex<ParameterRule>;
  /** By the tool named in the rule; old names also under their present one. */
  readonly commands: Map<string, CommandIndex>;
  readonly paths: { readonly Read: PathIndex; readonly Edit: PathIndex };
  readonly domains: DomainIndex;
}

export const createTable = (reading: Reading): RuleTable => ({
  reading,
  names: new NameIndex(reading !== 'narrow'),
  parameters: new NameIndex(true),
  commands: new Map(),
  paths: {
    Read: new PathIndex(reading !== 'narrow'),
    Edit: new PathIndex(reading !== 'narrow'),
  },
  domains: new DomainIndex(),
});

/** Files a content rule under the tool's name and, where that is an old one, under the present one. */
export function addCommand(
  table: RuleTable,
  names: readonly string[],
  content: string,
  entry: RuleEntry,
): void {
  for (const name of new Set(names)) {
    let index = table.commands.get(name);
    if (!index) table.commands.set(name, (index = new CommandIndex(table.reading !== 'narrow')));
    index.add(content, entry);
  }
}
