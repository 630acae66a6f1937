import {
  didYouMean,
  permissionModes,
  type Behavior,
  type PermissionMode,
  type RuleEntry,
} from '@toolgate/core';
import type { Node } from 'jsonc-parser';
import type { FileEntries } from './file-entries.ts';
import { kindOf, reportDuplicate, type Placed, type Reading } from './reading.ts';
import { pointerTo, propertiesOf, type Property } from './json-node.ts';
import {
  isCommentKey,
  modeNames,
  permissionKeys,
  unsupportedPermissionKeys,
} from './known-names.ts';

type Permissions = Pick<FileEntries, 'rules' | 'mode' | 'directories' | 'switchedOff'>;
const at = '/permissions';

/** Reads `permissions`, entry by entry. Of a key that is there twice the deny and ask rules of both count. */
export function readPermissions(reading: Reading, root: Node): Permissions {
  const seen = new Set<string>();
  let all: Permissions = { rules: [], directories: [], switchedOff: [] };
  for (const permissions of propertiesOf(root).filter(({ key }) => key === 'permissions')) {
    if (seen.has('')) reportDuplicate(reading, placeOf(permissions, at), 'permissions');
    seen.add('');
    if (permissions.value.type !== 'object')
      invalid(reading, permissions, at, `"permissions" must be an object`);
    for (const property of propertiesOf(permissions.value)) {
      const pointer = pointerTo(at, property.key);
      if (seen.has(property.key))
        reportDuplicate(reading, placeOf(property, pointer), property.key);
      seen.add(property.key);
      all = withKey(reading, property, pointer, all);
    }
  }
  return all;
}

function withKey(
  reading: Reading,
  property: Property,
  pointer: string,
  all: Permissions,
): Permissions {
  const { key } = property;
  switch (key) {
    case 'allow': {
      const kept = all.rules.filter(({ behavior }) => behavior !== 'allow');
      return { ...all, rules: [...kept, ...readRules(reading, property, pointer, key)] };
    }
    case 'ask':
    case 'deny':
      return { ...all, rules: [...all.rules, ...readRules(reading, property, pointer, key)] };
    case 'additionalDirectories':
      return { ...all, directories: readTexts(reading, property, pointer, 'folder') };
    case 'defaultMode':
      return { ...all, ...readMode(reading, property, pointer) };
    case 'disableBypassPermissionsMode':
    case 'disableAutoMode': {
      const mode = key === 'disableAutoMode' ? 'auto' : 'bypassPermissions';
      if (property.value.value === 'disable')
        return { ...all, switchedOff: [...all.switchedOff, mode] };
      invalid(reading, property, pointer, `"${key}" must be "disable"`);
      return all;
    }
    default:
      reportUnknown(reading, property, pointer);
      return all;
  }
}

function readRules(
  reading: Reading,
  property: Property,
  pointer: string,
  behavior: Behavior,
): readonly RuleEntry[] {
  const { source, file, root } = reading.from;
  return readTexts(reading, property, pointer, `${behavior} rule`).map((entry) => ({
    behavior,
    text: entry.value,
    source,
    file,
    root,
    line: entry.line,
    pointer: entry.pointer,
  }));
}

/** The texts of a list; each entry that is none is dropped alone. */
function readTexts(
  reading: Reading,
  property: Property,
  pointer: string,
  what: string,
): readonly Placed<string>[] {
  const { key, value: list } = property;
  if (list.type !== 'array') {
    invalid(reading, property, pointer, `"${key}" must be a list of texts`);
    return [];
  }
  return (list.children ?? []).flatMap((node, index) => {
    const place = { offset: node.offset, pointer: pointerTo(pointer, index) };
    const value: unknown = node.value;
    if (typeof value === 'string' && value.trim() !== '')
      return [{ value, line: reading.lineOf(node), pointer: place.pointer }];
    const problem = typeof value === 'string' ? 'is empty' : `must be text, not ${kindOf(node)}`;
    reading.report(place, {
      code: what === 'folder' ? 'setting-invalid' : 'rule-invalid',
      severity: 'error',
      message: `Entry ${index + 1} of "${key}" ${problem}; this ${what} alone is dropped. Mend or remove it.`,
    });
    return [];
  });
}

function readMode(
  reading: Reading,
  property: Property,
  pointer: string,
): { readonly mode?: Placed<PermissionMode> } {
  const named: unknown = property.value.value;
  const mode = permissionModes.find((known) => known === (named === 'manual' ? 'default' : named));
  if (mode) return { mode: { value: mode, line: reading.lineOf(property.value), pointer } };
  const hint = typeof named === 'string' ? didYouMean(named, modeNames) : '';
  const shown = typeof named === 'string' ? JSON.stringify(named) : kindOf(property.value);
  reading.report(placeOf(property, pointer), {
    code: 'setting-invalid',
    severity: 'error',
    message: `There is no mode ${shown}; "defaultMode" is dropped.${hint} Modes: ${modeNames.join(', ')}.`,
  });
  return {};
}

function reportUnknown(reading: Reading, property: Property, pointer: string): void {
  const { key } = property;
  if (isCommentKey(key)) return;
  const place = placeOf(property, pointer);
  if (unsupportedPermissionKeys.includes(key))
    reading.report(place, {
      code: 'setting-unsupported',
      message: `"${key}" is not supported yet and does nothing here.`,
    });
  else
    reading.report(place, {
      code: 'setting-unknown',
      message: `"permissions" has no key "${key}", so it does nothing.${didYouMean(key, permissionKeys)}`,
    });
}

function invalid(reading: Reading, property: Property, pointer: string, must: string): void {
  reading.report(placeOf(property, pointer), {
    code: 'setting-invalid',
    severity: 'error',
    message: `${must}, not ${kindOf(property.value)}; it is dropped. Mend or remove it.`,
  });
}

const placeOf = (property: Property, pointer: string) => ({ offset: property.keyOffset, pointer });
