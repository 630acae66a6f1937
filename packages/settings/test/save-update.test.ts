import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { PermissionUpdate, UpdateDestination } from '@toolgate/core';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { editText } from '../src/save/edit-text.ts';
import { parse } from 'jsonc-parser';
import { places, put, texts } from './helpers.ts';

const add = (rule: string, destination: UpdateDestination = 'localSettings'): PermissionUpdate => {
  const [, toolName = rule, ruleContent] = /^(\w+)\((.*)\)$/s.exec(rule) ?? [];
  return {
    type: 'addRules',
    behavior: 'allow',
    destination,
    rules: [{ toolName, ...(ruleContent !== undefined && { ruleContent }) }],
  };
};

test('a rule is added and nothing else is touched: comments, order, indents, line ends, trailing commas, mark', () => {
  const before = `\uFEFF// mine\r
{\r
\t"model": "x", // keep\r
\t"permissions": {\r
\t\t"deny": ["Read(.env)"],\r
\t\t"allow": [\r
\t\t\t"Bash(ls)", // first\r
\t\t],\r
\t},\r
}\r
`;
  const after = editText(before, add('Bash(npm test)'));
  expect(after).toBe(before.replace('// first\r\n', '// first\r\n\t\t\t"Bash(npm test)",\r\n'));
  expect(editText(after, add('Bash(npm test)'))).toBe(after);
});

test.for([
  ['[]', '["x"]'],
  ['["a"]', '["a", "x"]'],
  ['["a",]', '["a", "x",]'],
  ['["a" /* b */]', '["a", "x" /* b */]'],
  ['[\n  "a"\n]', '[\n  "a",\n  "x"\n]'],
  ['[\n  "a" // b\n]', '[\n  "a", // b\n  "x"\n]'],
  ['[\n  "a",\n  // last\n]', '[\n  "a",\n  "x",\n  // last\n]'],
  ['[\n  "a"]', '[\n  "a",\n  "x"\n]'],
  ['[ // none yet\n]', '[ // none yet\n  "x"\n]'],
] as const)('an entry joins %j as a person would write it', ([list, expected]) => {
  const whole = (text: string) => `{"permissions": {"allow": ${text}}}`;
  expect(editText(whole(list), add('x'))).toBe(whole(expected));
});

test.for([
  ['["x"]', '[]'],
  ['["x", "a"]', '["a"]'],
  ['["a", "x"]', '["a"]'],
  ['["a", "x",]', '["a",]'],
  ['[\n  "a",\n  "x" // gone\n]', '[\n  "a"\n]'],
  ['[\n  "x", // gone\n  "a" // b\n]', '[\n  "a" // b\n]'],
  ['[\n  "a",\n  "x",\n]', '[\n  "a",\n]'],
] as const)('an entry leaves %j as a person would take it out', ([list, expected]) => {
  const whole = (text: string) => `{"permissions": {"allow": ${text}}}`;
  const update = {
    type: 'removeRules',
    rules: [{ toolName: 'x' }],
    behavior: 'allow',
    destination: 'userSettings',
  } as const;
  expect(editText(whole(list), update)).toBe(whole(expected));
});

test('a key joins an object whose last line has a comment', () => {
  expect(editText('{\n    "model": "x" // keep\n}\n', add('Read'))).toBe(
    '{\n    "model": "x", // keep\n    "permissions": {\n        "allow": [\n            "Read"\n        ]\n    }\n}\n',
  );
});

test('what is missing is made: the file, permissions, the list', () => {
  const expected = '{\n  "permissions": {\n    "allow": [\n      "Bash(npm test)"\n    ]\n  }\n}\n';
  expect(editText('', add('Bash(npm test)'))).toBe(expected);
  expect(JSON.parse(editText('{"a": 1}', add('Read')))).toEqual({
    a: 1,
    permissions: { allow: ['Read'] },
  });
});

test('each kind of update does what it says', () => {
  const start = JSON.stringify({
    permissions: { allow: ['A', 'B', 'A'], additionalDirectories: ['/x'] },
  });
  const apply = (update: PermissionUpdate): unknown => JSON.parse(editText(start, update));
  const rules = (...names: readonly string[]) => names.map((toolName) => ({ toolName }));
  const of = { behavior: 'allow', destination: 'userSettings' } as const;

  expect(apply({ type: 'removeRules', rules: rules('A'), ...of })).toMatchObject({
    permissions: { allow: ['B'] },
  });
  expect(apply({ type: 'replaceRules', rules: rules('C'), ...of })).toMatchObject({
    permissions: { allow: ['C'] },
  });
  expect(apply({ type: 'setMode', mode: 'plan', destination: 'userSettings' })).toMatchObject({
    permissions: { defaultMode: 'plan' },
  });
  expect(
    apply({ type: 'addDirectories', directories: ['/x', '/y'], destination: 'userSettings' }),
  ).toMatchObject({ permissions: { additionalDirectories: ['/x', '/y'] } });
  expect(
    apply({ type: 'removeDirectories', directories: ['/x'], destination: 'userSettings' }),
  ).toMatchObject({ permissions: { additionalDirectories: [] } });
});

test.for([
  ['{"permissions": {"allow": ["A"', /no valid JSON \(line 1/],
  ['[]', /does not hold one object/],
  ['{"permissions": {"allow": "A"}}', /"permissions\.allow" is no list/],
] as const)('%s is left alone, with the reason', async ([text, reason]) => {
  const { local, open } = await places();
  await put(local, text);
  await expect((await open()).save(add('B'))).rejects.toThrow(reason);
  expect(await readFile(local, 'utf8')).toBe(text);
});

test('whatever the text, what was there is there afterwards, and the rule with it or gone', () => {
  const blank = fc.constantFrom('', ' ', '\n', '\n  ', ' /* c */ ', ' // c\n', '\r\n\t');
  const list = fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom('"a"', '"b,]"', '"x"', '"//"'), blank, blank)),
      fc.boolean(),
      blank,
    )
    .map(([items, trails, inside]) =>
      items.length === 0
        ? `[${inside}]`
        : `[${items.map(([item, before, after]) => before + item + after).join(',')}${trails ? ',' : ''}${inside}]`,
    );
  const texts = fc
    .tuple(blank, list, list, blank)
    .map(
      ([before, allow, deny, after]) =>
        `${before}{"permissions":${before}{${after}"allow": ${allow},${after}"deny": ${deny}${after}}${before}}${after}`,
    );
  const comments = (text: string) => (text.match(/\/\* c \*\/|\/\/ c/g) ?? []).length;
  fc.assert(
    fc.property(texts, (text) => {
      const before = parse(text) as { permissions: { allow: string[]; deny: string[] } }; // as it was made
      const { allow, deny } = before.permissions;
      const added = editText(text, add('new'));
      expect(parse(added)).toEqual({ permissions: { allow: [...allow, 'new'], deny } });
      expect(comments(added)).toBe(comments(text));
      const removed = editText(text, { ...add('x'), type: 'removeRules' } as PermissionUpdate);
      expect(parse(removed)).toEqual({
        permissions: { allow: allow.filter((one) => one !== 'x'), deny },
      });
    }),
    { numRuns: 500 },
  );
});

test('what is saved counts at once, and only that', async () => {
  const { user, open } = await places();
  await put(user, { permissions: { allow: ['A'] } });
  const live = await open();
  await put(user, { permissions: { allow: ['A', 'Sneaked'] } });
  await live.save(add('Mine', 'userSettings'));

  expect(texts(live.current().rules)).toEqual(['allow A', 'allow Mine']);
  expect(live.waiting().map(({ what }) => what)).toEqual(['allow Sneaked']);
  expect(JSON.parse(await readFile(user, 'utf8'))).toEqual({
    permissions: { allow: ['A', 'Sneaked', 'Mine'] },
  });
});

test('a rule of several lines, or of none, is never written', async () => {
  const { local, open } = await places();
  const live = await open();
  for (const rule of ['Bash(a\nb)', 'Bash(a\u2028b)', ' '])
    await expect(live.save(add(rule))).rejects.toThrow('a rule is one line of text');
  await expect(readFile(local)).rejects.toThrow('ENOENT');
});

test('the mode of the file is kept, and a link to it stays a link', async () => {
  const { base, home, user, open } = await places();
  const real = join(base, 'dotfiles/settings.json');
  await put(real, '{}');
  await chmod(real, 0o640);
  await mkdir(join(home, '.claude'));
  await symlink(real, user);
  await (await open()).save(add('A', 'userSettings'));

  expect((await stat(real)).mode & 0o777).toBe(0o640);
  expect(JSON.parse(await readFile(real, 'utf8'))).toEqual({ permissions: { allow: ['A'] } });
  expect(await readdir(join(base, 'dotfiles'))).toEqual(['settings.json']);
});

test('security: a project’s link never leads a save out of the project', async () => {
  const { base, cwd, user, local, project, open } = await places();
  await put(user, '{}');
  await mkdir(dirname(local), { recursive: true });
  await symlink(user, local);
  await symlink(join(base, 'not-there.json'), project);
  const live = await open({ trusted: true });
  await expect(live.save(add('Bash'))).rejects.toThrow('leads out of its folder');
  await live.save(add('Bash', 'projectSettings')); // a link to nothing is replaced
  expect(await readFile(user, 'utf8')).toBe('{}');
  expect((await readdir(base)).toSorted()).toEqual(['home', 'project']);

  const other = await places();
  await mkdir(join(other.base, 'elsewhere'));
  await symlink(join(other.base, 'elsewhere'), join(other.cwd, '.claude'));
  await expect((await other.open()).save(add('Bash'))).rejects.toThrow('leads out of its folder');
  expect(cwd).not.toBe(other.cwd);
});

/** A process that saves rules to the local file of a project, one after the other. */
function saver(cwd: string, home: string, names: readonly string[]) {
  const program = `
    import { readSettings } from ${JSON.stringify(new URL('../src/index.ts', import.meta.url).href)};
    const live = await readSettings({ cwd: ${JSON.stringify(cwd)}, home: ${JSON.stringify(home)} });
    for (const toolName of ${JSON.stringify(names)}) {
      await live.save({ type: 'addRules', behavior: 'allow', destination: 'localSettings', rules: [{ toolName }] });
      process.stdout.write(toolName + '\\n');
    }`;
  return spawn(
    process.execPath,
    ['--conditions=@toolgate/source', '--input-type=module', '-e', program],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
}

test('processes that save at once lose nothing', async () => {
  const { cwd, home, local } = await places();
  const names = (letter: string) => Array.from({ length: 15 }, (_, index) => `${letter}${index}`);
  const savers = ['A', 'B', 'C'].map((letter) => saver(cwd, home, names(letter)));
  const codes = await Promise.all(savers.map((child) => once(child, 'exit')));

  expect(codes.map(([code]) => code as unknown)).toEqual([0, 0, 0]);
  const { permissions } = JSON.parse(await readFile(local, 'utf8')) as {
    permissions: { allow: string[] };
  }; // our own file
  expect(permissions.allow.toSorted()).toEqual(['A', 'B', 'C'].flatMap(names).toSorted());
  expect(await readdir(dirname(local))).toEqual(['settings.local.json']);
}, 60_000);

test('a process killed at any instant leaves a whole file, and its lock is taken over', async () => {
  const { cwd, home, local, open } = await places();
  const names = Array.from({ length: 1_000 }, (_, index) => `R${index}`);
  for (const round of [0, 1, 2]) {
    const child = saver(
      cwd,
      home,
      names.map((name) => `${name}_${round}`),
    );
    let said = '';
    for await (const chunk of child.stdout) {
      said += String(chunk);
      // Somewhere in the midst of the next ones.
      if (said.split('\n').length > 5 + round * 3) child.kill('SIGKILL');
    }
    const saved = said.split('\n').filter((line) => line !== '');
    const { permissions } = JSON.parse(await readFile(local, 'utf8')) as {
      permissions: { allow: string[] };
    }; // our own file
    expect(saved.filter((name) => !permissions.allow.includes(name))).toEqual([]);
  }
  await (await open()).save(add('Last'));
  expect(await readFile(local, 'utf8')).toContain('"Last"');
  expect((await readdir(dirname(local))).filter((name) => !/\.lock\./.test(name))).toEqual([
    'settings.local.json',
  ]);
}, 60_000);

test('a lock whose holder is gone, or unreadable and old, does not keep anybody out', async () => {
  const { local, open } = await places();
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  await mkdir(dirname(local), { recursive: true });
  const { hostname } = await import('node:os');
  await writeFile(`${local}.lock`, JSON.stringify({ pid: child.pid, host: hostname(), id: 'x' }));
  await (await open()).save(add('A'));
  expect(await readdir(dirname(local))).toEqual(['settings.local.json']);
});

test('of many processes that find the lock of a dead one, one takes it over, and nothing is lost', async () => {
  const { cwd, local } = await places();
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'exit');
  const { hostname } = await import('node:os');
  await mkdir(dirname(local), { recursive: true });
  const place = { source: 'localSettings', file: local, root: cwd };
  const program = `
    import { saveUpdate } from ${JSON.stringify(new URL('../src/save/save-update.ts', import.meta.url).href)};
    const place = ${JSON.stringify(place)};
    process.on('message', async (toolName) => {
      const rules = [{ toolName }];
      await saveUpdate({ type: 'addRules', behavior: 'allow', destination: 'localSettings', rules }, [place]);
      process.send('saved');
    });
    process.send('ready');`;
  const savers = Array.from({ length: 8 }, () =>
    spawn(
      process.execPath,
      ['--conditions=@toolgate/source', '--input-type=module', '-e', program],
      {
        stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      },
    ),
  );
  onTestFinished(() => savers.forEach((child) => child.kill('SIGKILL')));
  /** The next word of a process, or its end. */
  const word = (child: ChildProcess) => Promise.race([once(child, 'message'), once(child, 'exit')]);
  await Promise.all(savers.map(word));
  for (let round = 0; round < 60; round += 1) {
    const holder = { pid: dead.pid, host: hostname(), id: `dead-${round}` };
    await writeFile(`${local}.lock`, JSON.stringify(holder));
    const said = await Promise.all(
      savers.map((child, index) => {
        const answer = word(child);
        child.send(`R${round}_${index}`);
        return answer;
      }),
    );
    expect(said.map(([answer]) => answer as unknown)).toEqual(savers.map(() => 'saved'));
  }
  const { permissions } = JSON.parse(await readFile(local, 'utf8')) as {
    permissions: { allow: string[] };
  }; // our own file
  expect(permissions.allow.length).toBe(60 * savers.length);
  expect(await readdir(dirname(local))).toEqual(['settings.local.json']);
}, 120_000);

test('a mode that stops asking is never saved', async () => {
  const { user, open } = await places();
  await put(user, '{}');
  const live = await open();
  for (const mode of ['bypassPermissions', 'auto'] as const)
    await expect(live.save({ type: 'setMode', mode, destination: 'userSettings' })).rejects.toThrow(
      `mode ${mode} is never saved`,
    );
  expect(await readFile(user, 'utf8')).toBe('{}');
});
