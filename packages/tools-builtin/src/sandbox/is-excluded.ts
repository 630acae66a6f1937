import type { PermissionUnit } from '@toolgate/core';

/**
 * Whether a whole command may run outside by the list of excluded ones: every part of it must be on the list,
 * so that excluding one part lifts nothing from the others. Of a command that nobody read only the exact
 * text counts.
 */
export function isExcluded(
  units: readonly PermissionUnit[],
  tool: string,
  excluded: readonly string[],
): boolean {
  const parts = units.filter((unit) => unit.tool === tool);
  return (
    excluded.length > 0 &&
    parts.length > 0 &&
    parts.every(({ content, exact, allowBy }) =>
      excluded.some((pattern) =>
        allowBy === 'exact' || content === undefined
          ? pattern === (exact ?? content)
          : matches(pattern, content),
      ),
    )
  );
}

/** `git *` and `git:*` are the word alone or followed by others, a star elsewhere stands for any text. */
function matches(pattern: string, content: string): boolean {
  const prefix = /^(.*?)(?::\*| \*)$/s.exec(pattern)?.[1];
  if (prefix !== undefined && !prefix.includes('*'))
    return content === prefix || content.startsWith(`${prefix} `);
  const source = pattern
    .split('*')
    .map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  return new RegExp(`^${source.join('.*')}$`, 's').test(content);
}
