import {
  didYouMean,
  type Diagnostic,
  type SettingsSourceName,
  type SettingValue,
} from '@toolgate/core';
import { z } from 'zod';
import type { Handler } from './handler.ts';
import { eventProblem, hookEventNames, type HookEvent } from './hook-events.ts';
import { matcherProblem } from './matcher.ts';
import { readHandler, type HandlerPlace, type Report } from './read-handler.ts';

/** The handlers of each event that has some. */
export interface ConfiguredHandlers {
  readonly handlers: Readonly<Partial<Record<HookEvent, readonly Handler[]>>>;
  /** True when managed policy switched off every hook, those of the embedder's own too. */
  readonly isAllOff: boolean;
}
/** What holds where a handler does not say. */
export interface HandlerDefaults {
  readonly onFailure: 'continue' | 'block';
  readonly isStrict: boolean;
}

const object = z.record(z.string(), z.unknown());
/** Keys beside the events, which hold for all hooks of all files: they only make things stricter. */
const defaultKeys = ['onFailure', 'strict'];
const isFolders = (source: SettingsSourceName) =>
  source === 'projectSettings' || source === 'localSettings';

/**
 * The hooks of all settings files, in configuration order: sources from weakest to strongest, each file from
 * top to bottom. What cannot run is reported once, with its place.
 */
export function configuredHandlers(
  values: readonly SettingValue[],
  defaults: HandlerDefaults,
  report: Report,
): ConfiguredHandlers {
  const found: Partial<Record<HookEvent, Handler[]>> = {};
  const isOff = switchedOff(values, report);
  const settings = values.filter(({ key }) => key === 'hooks');
  const general = {
    onFailure: defaults.onFailure,
    isFloor: settings.some((value) => saysBlock(value, report)),
    isStrict: defaults.isStrict || settings.some(saysStrict),
  };
  for (const value of settings) {
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
      const event = hookEventNames.find((known) => known === name);
      if (event)
        (found[event] ??= []).push(...readGroups({ ...general, value, event }, groups, report));
      else if (!defaultKeys.includes(name) && !/^(_|\/\/|#)/.test(name))
        complain(
          `/hooks/${name}`,
          eventProblem(name, (text) => didYouMean(text, hookEventNames)),
          'hook-event-unknown',
        );
    }
  }
  return { handlers: found, isAllOff: isOff('inProcess') };
}

const memberOf = ({ value }: SettingValue, name: string): unknown =>
  object.safeParse(value).data?.[name];

/** Any file may say that failed hooks block; none can take that back. */
function saysBlock(value: SettingValue, report: Report): boolean {
  const onFailure = memberOf(value, 'onFailure');
  if (onFailure === undefined || onFailure === 'continue') return false;
  if (onFailure !== 'block')
    complainer(value, report)(
      '/hooks/onFailure',
      '"onFailure" must be "continue" or "block"; this value counts as "block".',
    );
  return true;
}
const saysStrict = (value: SettingValue): boolean =>
  ![undefined, false].includes(memberOf(value, 'strict') as undefined); // anything may stand there

function readGroups(
  from: Omit<HandlerPlace, 'pointer' | 'matcher'>,
  groups: unknown,
  report: Report,
): readonly Handler[] {
  const { value, event } = from;
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
    return hooks.flatMap((hook: unknown, position) => {
      const place = { ...from, pointer: `${pointer}/hooks/${position}`, matcher };
      return readHandler(hook, place, report) ?? [];
    });
  });
}

/** Says of each source whether its hooks are switched off (security rule 13). */
function switchedOff(
  values: readonly SettingValue[],
  report: Report,
): (source: SettingsSourceName | 'inProcess') => boolean {
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
    if (source === 'policySettings' || source === 'inProcess')
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
