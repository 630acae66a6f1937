import { describe, expect, test } from 'vitest';
import { isProtectedPath, type Effects, type PermissionUnit } from '../src/index.ts';
import { floors } from '../src/floors.ts';

const effects = (units: readonly PermissionUnit[], more: Partial<Effects> = {}): Effects => ({
  units,
  readOnly: false,
  destructive: false,
  concurrencySafe: false,
  warnings: [],
  suggestedRules: [],
  needs: [],
  ...more,
});

describe('a path is protected', () => {
  test.for(
    `.git .vscode .idea .husky .cargo .devcontainer .yarn .mvn .claude .toolgate`.split(' '),
  )('in the folder %s, wherever that is and however it is spelled', (folder) => {
    expect(isProtectedPath(`/p/${folder}/x`)).toBe(true);
    expect(isProtectedPath(`/p/a/${folder.toUpperCase()}/b/c`)).toBe(true);
    expect(isProtectedPath(`/p/${folder}`)).toBe(true);
    expect(isProtectedPath(`/p/x${folder}/y`)).toBe(false);
  });
  test.for([
    ['/home/u/.bashrc', true],
    ['/home/u/.BashRC', true],
    ['/p/.mcp.json', true],
    ['/p/.pnpmfile.cjs', true],
    ['/p/gradle-wrapper.properties', true],
    ['/p/.bashrc/x', false],
    ['/p/bashrc', false],
    ['/home/u/.config/git/config', true],
    ['/home/u/.config/other/git', false],
    ['/home/u/git/.config/x', false],
    ['/p/.config', false],
    ['/p/git', false],
    ['/p/.claude/worktrees/a/src/x', false],
    ['/p/.claude/worktrees/a/.claude/settings.json', true],
    ['/p/.claude/other/worktrees', true],
    ['/p/.git/worktrees/a', true],
    ['worktrees/.git', true],
    ['/p/src/index.ts', false],
    ['/', false],
  ] as const)('%s: %s', ([path, isProtected]) => {
    expect(isProtectedPath(path)).toBe(isProtected);
  });
});

describe('a call asks', () => {
  const asks = {
    behavior: 'ask',
    strength: 'soft',
    reason: 'This would write a file that can change what runs later.',
  };
  const protectedOne = { path: '/p/.git/config', realPath: '/p/.git/config' };
  const harmless = { path: '/p/x', realPath: '/p/x' };
  test.for<[string, PermissionUnit, boolean]>([
    ['an edit', { tool: 'Edit', readOnly: false, ...protectedOne }, true],
    ['an edit that calls itself a read', { tool: 'Edit', readOnly: true, ...protectedOne }, true],
    ['a read', { tool: 'Read', readOnly: true, ...protectedOne }, false],
    ['a read that is not read-only', { tool: 'Read', readOnly: false, ...protectedOne }, false],
    ['another tool that writes', { tool: 'X', readOnly: false, ...protectedOne }, true],
    ['another tool that reads', { tool: 'X', readOnly: true, ...protectedOne }, false],
    [
      'an edit behind a link',
      { tool: 'Edit', readOnly: false, path: '/p/x', realPath: '/p/.git/config' },
      true,
    ],
    [
      'an edit of a link in a protected folder',
      { tool: 'Edit', readOnly: false, path: '/p/.git/x', realPath: '/p/x' },
      true,
    ],
    ['an edit elsewhere', { tool: 'Edit', readOnly: false, ...harmless }, false],
    ['no path at all', { tool: 'X', readOnly: false }, false],
  ])('for %s', ([, unit, isAsked]) => {
    expect(floors(effects([unit]))).toEqual(isAsked ? [{ ...asks, unit }] : []);
  });
  test('for what a command writes or edits by name, and not for what it reads', () => {
    const command = (more: object): PermissionUnit => ({ tool: 'Bash', readOnly: true, ...more });
    const asked = (more: object) => floors(effects([command(more)])).length;
    expect(asked({ writes: [protectedOne] })).toBe(1);
    expect(asked({ writes: [harmless] })).toBe(0);
    expect(asked({ touches: [{ how: 'Edit', ...protectedOne }] })).toBe(1);
    expect(asked({ touches: [{ how: 'Read', ...protectedOne }] })).toBe(0);
    expect(asked({ touches: [{ how: 'Edit', ...harmless }] })).toBe(0);
    expect(asked({})).toBe(0);
  });
  test('once for each part, and for each warning that insists', () => {
    const part = { tool: 'Edit', readOnly: false, ...protectedOne } as const;
    const warnings = [
      { code: 'a', message: 'Sure?', asks: 'person' as const },
      { code: 'b', message: 'Only told.' },
    ];
    expect(
      floors(effects([part, { tool: 'Edit', readOnly: false, ...harmless }, part], { warnings })),
    ).toEqual([
      { ...asks, unit: part },
      { ...asks, unit: part },
      { behavior: 'ask', strength: 'person', reason: 'Sure?' },
    ]);
  });
});
