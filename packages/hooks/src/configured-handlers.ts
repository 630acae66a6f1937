import type { Diagnostic, SettingsSourceName, SettingValue } from '@toolgate/core';
import { z } from 'zod';
import { supportedEvents, type Handler, type HookEvent } from './handler.ts';
import { matcherProblem } from './matcher.ts';
import { readHandler, type Report } from './read-handler.ts';

export type ConfiguredHandlers = Readonly<Record<HookEvent, readonly Handler[]>>;

const object = z.record(z.string(), z.unknown());
const isFolders = (source: SettingsSourceName) =>
  source === 'projectSettings' || source === 'localSettings';

/**
 * The command hooks of all settings files, in configuration order: sources from weakest to strongest, each
 * file from top to bottom. What cannot run is reported once, with its place.
 */
export function configuredHandlers(
  values: readonly SettingValue[],
  onFailure: 'continue' | 'block',
  report: Report,
): ConfiguredHandlers {
  const found: Record<HookEvent, Handler[]> = {
    PreToolUse: [],
    PostToolUse: [],
    PostToolUseFailure: [],
  };
  const isOff = switchedOff(values, report);
  for (const value of values) {
    if (value.key !== 'hooks') continue;
    const complain = complainer(value, report);
    if (isOff(value.source)) {
      complain('/hooks', 'The hooks of this file are switched off.', 'hooks-switched-off');
      continue;
    }
    const events = object.safeParse(value.value);
    if (!events.success) {
      complain('/hooks', '"hooks" must be an object of events; no hook of this file runs.');
      continue;
    }
    for (const [name, groups] of Object.entries(events.data)) {
      const event = supportedEvents.find((supported) => supported === name);
      if (event) found[event].push(...readGroups(value, event, groups, { onFailure, report }));
      else if (Array.isArray(groups) && groups.length > 0 && !/^(_|\/\/|#)/.test(name))
        complain(
          `/hooks/${name}`,
          `Hooks of the event "${name}" do not run yet.`,
          'hook-unsupported',
        );
    }
  }
  return found;
}

function readGroups(
  value: SettingValue,
  event: HookEvent,
  groups: unknown,
  { onFailure, report }: { readonly onFailure: 'continue' | 'block'; readonly report: Report },
): readonly Handler[] {
  const complain = complainer(value, report);
  const at = `/hooks/${event}`;
  if (!Array.isArray(groups)) {
    complain(at, `"${event}" must be a list; none of its hooks runs.`);
    return [];
  }
  return groups.flatMap((raw: unknown, index) => {
    const pointer = `${at}/${index}`;
    const group = object.safeParse(raw).data;
    if (!group) {
      complain(pointer, 'A group of hooks must be an object; this one is dropped.');
      return [];
    }
    const { matcher = '', hooks } = group;
    if (typeof matcher !== 'string') {
      complain(
        `${pointer}/matcher`,
        '"matcher" must be text such as "Bash|Edit"; this group is dropped.',
      );
      return [];
    }
    if (!Array.isArray(hooks)) {
      const isFlat = 'command' in group || 'type' in group;
      const rewrite = isFlat ? ' Wrap the entry: { "hooks": [{ "type": "command", … }] }.' : '';
      complain(
        `${pointer}/hooks`,
        `This group has no list "hooks", so nothing of it runs.${rewrite}`,
      );
      return [];
    }
    const problem = matcherProblem(matcher);
    if (problem) complain(`${pointer}/matcher`, problem);
    return hooks.flatMap((hook: unknown, at) => {
      const place = { value, pointer: `${pointer}/hooks/${at}`, matcher, onFailure };
      return readHandler(hook, place, report) ?? [];
    });
  });
}

/** Says of each source whether its hooks are switched off (security rule 13). */
function switchedOff(
  values: readonly SettingValue[],
  report: Report,
): (source: SettingsSourceName) => boolean {
  let everywhere: SettingValue | undefined;
  let inTheFolder = false;
  for (const value of values) {
    if (value.key !== 'disableAllHooks') continue;
    if (typeof value.value !== 'boolean')
      complainer(value, report)('/disableAllHooks', '"disableAllHooks" must be true or false.');
    else if (isFolders(value.source)) inTheFolder = value.value;
    else {
      everywhere = value;
      // A flag or policy that says false outranks the folder's true; the user's file does not.
      if (value.source !== 'userSettings') inTheFolder = false;
    }
  }
  const managedOnly = values.some(
    ({ key, source, value }) =>
      key === 'allowManagedHooksOnly' && source === 'policySettings' && value !== false,
  );
  return (source) => {
    if (source === 'policySettings')
      return everywhere?.value === true && everywhere.source === 'policySettings';
    return managedOnly || everywhere?.value === true || (inTheFolder && isFolders(source));
  };
}

const severities: Readonly<Record<string, Diagnostic['severity']>> = {
  'hook-invalid': 'error',
  'hooks-switched-off': 'info',
};

const complainer =
  (value: SettingValue, report: Report) =>
  (pointer: string, message: string, code = 'hook-invalid') =>
    report({
      code,
      severity: severities[code] ?? 'warning',
      message,
      pointer,
      ...(value.file !== undefined && { file: value.file }),
    });
