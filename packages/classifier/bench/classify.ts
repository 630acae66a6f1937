// What it costs to read a command: microseconds for a short and a 2 KB one, and how that grows with the parts.
// Cases run in alternating slices of one process; the figure is the median of the slices.
//   node --conditions=@toolgate/source packages/classifier/bench/classify.ts
import { classifyBash } from '../src/index.ts';

const part = `grep -rn "foo bar" src --include='*.ts' | sort | head -20`;
const long = (bytes: number) => {
  const count = Math.ceil(bytes / (part.length + 4));
  return Array.from({ length: count }, () => part).join(' && ');
};
const parts = (count: number) => Array.from({ length: count }, () => 'cat a').join(' && ');
const cases: Readonly<Record<string, string>> = {
  'short: ls -la': 'ls -la',
  'short: git log --oneline | head': 'git log --oneline | head',
  '2 KB': long(2_048),
  ...Object.fromEntries([1, 10, 100, 1_000].map((count) => [`${count} parts`, parts(count)])),
};

const options = { environmentNames: ['PATH', 'HOME'] };
/** Microseconds a call, in a slice of at least 20 ms. */
function slice(command: string): number {
  let calls = 0;
  const start = performance.now();
  let elapsed = 0;
  while (elapsed < 20) {
    for (let index = 0; index < 5; index += 1) classifyBash(command, options);
    calls += 5;
    elapsed = performance.now() - start;
  }
  return (elapsed * 1_000) / calls;
}

const slices = new Map(Object.keys(cases).map((name) => [name, [] as number[]]));
for (let round = 0; round < 32; round += 1)
  for (const [name, command] of Object.entries(cases)) {
    const took = slice(command);
    if (round >= 2) slices.get(name)?.push(took); // the first rounds warm up
  }
for (const [name, all] of slices) {
  const median = all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;
  const count = /^(\d+) parts$/.exec(name)?.[1];
  const each = count === undefined ? '' : `, ${(median / Number(count)).toFixed(1)} µs a part`;
  console.log(`${name} (${cases[name]?.length} characters): ${median.toFixed(1)} µs${each}`);
}
