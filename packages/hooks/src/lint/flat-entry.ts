import type { Found } from './lint-hooks.ts';

/** A hook that stands where a group of hooks is expected. It does not run. */
export function flatEntry(
  pointer: string,
  group: Readonly<Record<string, unknown>>,
): Found | undefined {
  const { matcher, ...hook } = group;
  if ('hooks' in group || !('command' in group || 'type' in group)) return undefined;
  const isWhole = hook['type'] === 'command' && typeof hook['command'] === 'string';
  const wrapped = { ...(matcher !== undefined && { matcher }), hooks: [hook] };
  return {
    code: 'hook-flat-entry',
    severity: 'error',
    message: 'This hook stands where a group of hooks is expected, so it does not run.',
    pointer,
    fix: {
      message: 'Wrap it: { "matcher": "…", "hooks": [{ "type": "command", … }] }.',
      ...(isWhole && { edit: { op: 'replace', value: wrapped } }),
    },
  };
}
