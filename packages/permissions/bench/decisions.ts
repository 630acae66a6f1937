// Decisions per second with 10, 1,000 and 100,000 rules, of rules that a call could come under and rules that it
// could not. One line of JSON for each number of rules; `usPerDecision` is the best of ten slices.
//   node --conditions=@toolgate/source packages/permissions/bench/decisions.ts
import { strictest, type RuleEntry, type StartedCall } from '@toolgate/core';
import { rulesBackend } from '../src/index.ts';
import { command, file, startedCall } from '../test/helpers/call.ts';
import { factsOf } from '../test/helpers/vector-gate.ts';

const kinds: readonly ((index: number) => readonly [RuleEntry['behavior'], string])[] = [
  (index) => ['allow', `Bash(tool-${index} run:*)`],
  (index) => ['deny', `Bash(tool-${index} destroy *)`],
  (index) => ['ask', `Bash(git push origin-${index} *)`],
  (index) => ['allow', `Bash(npm run task-${index})`],
  (index) => ['allow', `Edit(/packages/p${index}/src/**)`],
  (index) => ['deny', `Read(//srv/secrets/s${index}/**)`],
  (index) => ['deny', `Read(/vault/v${index}/*.pem)`],
  (index) => ['allow', `WebFetch(domain:host-${index}.example)`],
  (index) => ['deny', `WebFetch(domain:*.bad-${index}.example)`],
  (index) => ['ask', `mcp__server-${index}__tool`],
];

const rulesFor = (count: number): readonly RuleEntry[] =>
  Array.from({ length: count }, (_, index) => {
    const [behavior, text] = kinds[index % kinds.length]?.(Math.floor(index / kinds.length)) ?? [
      'deny',
      'Never',
    ];
    return { behavior, text, source: 'projectSettings', root: '/p' };
  });

/** Calls that rules are about, the first of each kind and a middle one, and calls that none is about. */
const callsFor = (count: number, rules: readonly RuleEntry[]): readonly StartedCall[] => {
  const middle = Math.floor(count / kinds.length / 2);
  return [
    { units: [command(`tool-${middle} run --all`)] },
    { units: [command(`tool-${middle} destroy x`)] },
    { units: [command('git push origin-0 main'), command('npm run task-0')] },
    { units: [command('make build'), command('ls')] },
    { tool: 'Edit', units: [file('Edit', `/p/packages/p${middle}/src/a.ts`, { own: true })] },
    { tool: 'Read', units: [file('Read', `/srv/secrets/s${middle}/a`, { own: true })] },
    { tool: 'Read', units: [file('Read', '/p/src/deep/down/in/a/folder/a.ts', { own: true })] },
    { tool: 'Grep', units: [file('Read', '/p/src', { own: true, open: true })] },
    {
      tool: 'WebFetch',
      units: [
        { tool: 'WebFetch', content: `domain:a.bad-${middle}.example`, readOnly: false, own: true },
      ],
    },
    {
      tool: `mcp__server-${middle}__tool`,
      units: [{ tool: `mcp__server-${middle}__tool`, readOnly: false, own: true }],
    },
  ].map((parts) => startedCall({ ...parts, rules }));
};

const signal = new AbortController().signal;
for (const count of [10, 1_000, 100_000]) {
  const rules = rulesFor(count);
  const backend = rulesBackend({ facts: factsOf({ home: '/h' }) });
  // One list for all calls: it is compiled once, at the first.
  const calls = callsFor(count, rules).map((call) => ({
    ...call,
    settings: { ...call.settings, rules },
  }));
  const started = performance.now();
  const decide = (call: StartedCall) => {
    const opinions = backend(call, { signal });
    if (!Array.isArray(opinions)) throw new Error('the rules answer with a list');
    return strictest(opinions, call.effects.units).behavior;
  };
  const decided = calls.map(decide);
  const firstMs = performance.now() - started;
  let best = Infinity;
  for (let slice = 0; slice < 10; slice += 1) {
    const begin = performance.now();
    let done = 0;
    while (performance.now() - begin < 100)
      for (const call of calls) {
        decide(call);
        done += 1;
      }
    best = Math.min(best, (performance.now() - begin) / done);
  }
  console.log(
    JSON.stringify({
      rules: count,
      decisionsPerSecond: Math.round(1_000 / best),
      usPerDecision: Number((best * 1_000).toFixed(2)),
      compileMs: Math.round(firstMs),
      decided: decided.join(' '),
    }),
  );
}
