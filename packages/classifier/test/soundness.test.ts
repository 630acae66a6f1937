import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { expandWord } from '../src/bash/expand.ts';
import { listCommands } from '../src/bash/list-commands.ts';
import { parseBash } from '../src/bash/parse.ts';

/** A small generator of numbers below one; the same seed gives the same scripts. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}

/** Random scripts out of hard forms. Every command is called c1, c2 …, however it is spelled. */
function createScripts(count: number, seed: number): readonly string[] {
  const random = createRandom(seed);
  let next = 0;
  const pick = <T>(all: readonly T[]): T => {
    const found = all[Math.floor(random() * all.length)];
    if (found === undefined) throw new Error('nothing to pick from');
    return found;
  };
  const name = (): string => {
    next += 1;
    const plain = `c${next}`;
    return pick([
      plain,
      plain,
      `"${plain}"`,
      `'${plain}'`,
      `c\\\n${next}`,
      `\\c${next}`,
      `$'\\x63'${next}`,
      `c""${next}`,
    ]);
  };
  // Characters that end a construct around a substitution, but not inside of it.
  const filler = () => pick(['', '', ': a/b; ', ": ')'; ", ': a:b; ', ': }; ', ': ]; ', ': a,b; ']);
  const word = (depth: number): string => {
    const inner = () => filler() + script(depth - 1);
    if (depth <= 0) return pick(['a', '"b c"', "'$(no)'", '\\$(no)', '$x', '{a,b}', '#a', 'a#b']);
    return pick([
      () => `$(${inner()})`,
      () => `"a $(${inner()}) b"`,
      () => `\`c${(next += 1)}\``,
      () => `"$\\\n(${inner()})"`,
      () => `\${u:-$(${inner()})}`,
      () => `"\${u%%$(${inner()})}"`,
      () => `\${u/a/$(${inner()})}`,
      () => `"\${u${pick(['/', '//', '/#', '/%'])}$(${inner()})/b}"`,
      () => `\${v/$(${inner()})/$(${inner()})}`,
      () => `\${v/\${v/$(${inner()})/b}/c}`,
      () => `\${v/'x/'"$(${inner()})"/b}`,
      () => `\${v/<(${inner()})/b}`,
      () => `\${v/\`${filler()}c${(next += 1)}\`/b}`,
      () => `\${v:0$(${inner()}):1}`,
      () => `\${v#$(${inner()})}`,
      () => `\${v^^$(${inner()})}`,
      () => `\${v:+a$(${inner()})}`,
      () => `\${a[0$(${inner()})]}`,
      () => `{a,<(${inner()})}`,
      () => `{a,x{b,>(${inner()})}c}`,
      () => `$(( 1 + 0$(${inner()}) ))`,
      () => `{a,$(${inner()})}`,
      () => `<(${inner()})`,
      () => `x"$(${inner()})"'y'`,
      () => `x<(${inner()})>(c${(next += 1)})y`,
    ])();
  };
  const simple = (depth: number): string =>
    [
      ...(random() < 0.2 ? [`v=${word(depth - 1)}`] : []),
      name(),
      ...(random() < 0.7 ? [word(depth - 1)] : []),
      ...(random() < 0.2 ? ['2>/dev/null'] : []),
      ...(random() < 0.15 ? [`<<< ${word(depth - 1)}`] : []),
    ].join(' ');
  const script = (depth: number): string => {
    if (depth <= 0) return simple(0);
    const inner = () => script(depth - 1);
    return pick([
      () => simple(depth),
      () => simple(depth),
      () => `${inner()}; ${inner()}`,
      () => `${inner()} || ${inner()}`,
      () => `! ${simple(depth)} && ${inner()}`,
      () => `${simple(depth)} | ${simple(depth)}`,
      () => `(${inner()})`,
      () => `{ ${inner()}; }`,
      () => `if ${inner()}; then ${inner()}; else ${inner()}; fi`,
      () => `for v in ${word(depth - 1)}; do ${inner()}; done`,
      () => `case ${word(depth - 1)} in *) ${inner()};; esac`,
      () => `until ! ${simple(depth)}; do ${inner()}; done`,
      () => `[[ ${word(depth - 1)} == a ]] || ${inner()}`,
      () => `f() { ${inner()}; }; f`,
      () => `time ${simple(depth)}`,
      () => `cat <<E\n$(${inner()})\nE\n${inner()}`,
      () => `${inner()} # $(no)\n${inner()}`,
    ])();
  };
  return Array.from({ length: count }, () => {
    next = 0;
    return script(3);
  });
}

/** The names that Bash really tried to run. No program is found, so nothing else happens. */
function namesRun(script: string): readonly string[] | undefined {
  const prelude = 'v=abc; PATH=/nowhere; command_not_found_handle() { echo "$1" >&3; return 1; }\n';
  const run = spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', prelude + script], {
    env: {},
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    timeout: 5000,
  });
  const messages = String(run.stderr);
  if (/syntax error|unexpected EOF/.test(messages)) return undefined;
  return String(run.output[3])
    .split('\n')
    .filter((name) => /^c\d+$/.test(name));
}

// More scripts, or others, by hand: SOUNDNESS_SCRIPTS=2500 SOUNDNESS_SEED=7.
test('the model holds every command that Bash runs, or says that the text is not valid', () => {
  const missed: string[] = [];
  let compared = 0;
  for (const script of createScripts(
    Number(process.env['SOUNDNESS_SCRIPTS'] ?? 250),
    Number(process.env['SOUNDNESS_SEED'] ?? 20_261_201),
  )) {
    const run = namesRun(script);
    const parsed = parseBash(script);
    if (!run || !parsed.valid) continue;
    compared += run.length;
    const state = { folders: ['/'], variables: new Map() };
    const known = new Set(
      listCommands(parsed.script).flatMap((command) =>
        command.words
          .slice(0, 1)
          .flatMap((word) => expandWord(word, { home: '/', state }).flatMap((one) => one.texts)),
      ),
    );
    if (run.some((name) => !known.has(name))) missed.push(script);
  }
  expect(missed).toEqual([]);
  // Guards the test itself: the scripts must have run something.
  expect(compared).toBeGreaterThan(200);
}, 60_000);
