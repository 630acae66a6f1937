/** Where a secret stands in a text, and what kind it is. */
export interface FoundSecret {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Forms that the kept rule set wants more around before it speaks; here the form alone is enough. */
const forms: readonly (readonly [kind: string, form: RegExp])[] = [
  ['aws', /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g],
  [
    'private-key',
    /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^-]{0,16000}-----END [A-Z ]*PRIVATE KEY-----)?/g,
  ],
  ['jwt', /\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,8000}\.[\w-]{10,2000}/g],
  ['bearer', /\b(?:bearer|token)\s+[\w~+/.-]{20,2000}=*/gi],
  ['github', /gh[pousr]_\w{36,255}|github_pat_\w{22,255}/g],
  ['openai', /\bsk-(?:proj|svcacct|admin)-[\w-]{20,255}/g],
  ['google', /\bAIza[\w-]{35}\b/g],
];

/** The secrets in a text, in order and apart from one another. Rejects when the rule set fails. */
export async function findSecrets(text: string): Promise<readonly FoundSecret[]> {
  const found: FoundSecret[] = forms.flatMap(([kind, form]) =>
    [...text.matchAll(form)].map((match) => ({
      kind,
      start: match.index,
      end: match.index + match[0].length,
    })),
  );
  const { rules } = await import('@secretlint/secretlint-rule-preset-recommend');
  const place = () => ({ line: 1, column: 0 });
  for (const rule of rules) {
    // Run one by one: the tool's own engine keeps a record of each run for ever.
    const judge = rule.create(
      {
        sharedOptions: {},
        createTranslator: () => () => ({ message: '', messageId: '' }),
        report: ({ range }: { readonly range: readonly [number, number] }) => {
          const kind = rule.meta.id.replace(/^.*secretlint-rule-/, '');
          found.push({ kind, start: range[0], end: range[1] });
        },
        ignore: () => undefined,
      } as never, // as much of its context as the rules use
      {} as never,
    );
    await judge.file?.({
      content: text,
      filePath: '/text.txt',
      ext: '.txt',
      contentType: 'text',
      indexToPosition: place,
      locationToRange: () => [0, 0],
    } as never); // as much of a source as the rules read
  }
  return apart(found);
}

/** Of those that overlap one that covers all. */
function apart(found: readonly FoundSecret[]): readonly FoundSecret[] {
  const joined: FoundSecret[] = [];
  for (const one of found.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = joined.at(-1);
    if (!last || one.start >= last.end) joined.push(one);
    else if (one.end > last.end) joined[joined.length - 1] = { ...last, end: one.end };
  }
  return joined;
}
