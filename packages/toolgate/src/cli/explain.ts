import { homedir } from 'node:os';
import {
  createToolgate,
  isToolgateError,
  type Decision,
  type Diagnostic,
  type ToolgateOptions,
} from '@toolgate/core';
import { ruleDiagnostics } from '@toolgate/permissions';
import { createDecider } from './decider.ts';
import { explainText } from './explain-text.ts';
import { loadConfig } from './load-config.ts';
import { describe, say, writeText } from './output.ts';
import { badLine, isBadLine } from './parse-line.ts';
import { readPolicy } from './policy-files.ts';
import { processLines } from './process-lines.ts';
import type { InputLine } from './read-lines.ts';
import { questionOn, type Question, type QuestionDefaults } from './read-question.ts';

export interface ExplainFlags {
  readonly config?: string;
  /** Settings files whose rules count besides those of the lines. */
  readonly settings: readonly string[];
  readonly text: boolean;
}

/** `toolgate explain`: what would be decided about a call, and why. Runs nothing, asks no one, touches no disk. */
export async function explain(file: string | undefined, flags: ExplainFlags): Promise<number> {
  const config = flags.config === undefined ? undefined : await loadConfig(flags.config);
  if (config) await createToolgate(config).close();
  const defaults = await defaultsOf(flags);
  const { signal } = new AbortController();
  // `explainText` needs the call as well, which the answer does not hold.
  const texts = new WeakMap<object, string>();
  const write = (answer: object) => writeText(texts.get(answer) ?? '');
  const work = async (line: InputLine) => {
    const question = questionOn(line, defaults);
    if (isBadLine(question)) return question;
    const own = question.rules.filter(({ file: from }) => from === undefined);
    for (const diagnostic of ruleDiagnostics(own))
      say(`${file ?? 'standard input'}:${line.number}: ${describe(diagnostic)}`);
    try {
      const answer = await answerTo(question, config);
      texts.set(answer, explainText(question, answer));
      return answer;
    } catch (error) {
      if (isToolgateError(error)) return badLine(line, error.message);
      throw error;
    }
  };
  return (await processLines(file, { signal, work, ...(flags.text && { write }) })) ? 0 : 2;
}

/** Without a policy made-up places, so that nothing of this machine counts; with one, where the command runs. */
async function defaultsOf({ settings }: ExplainFlags): Promise<QuestionDefaults> {
  if (settings.length === 0) return { cwd: '/project', home: '/home/user' };
  const cwd = process.cwd();
  return { cwd, home: homedir(), policy: await readPolicy(settings, { cwd }) };
}

interface Explained extends Decision {
  readonly id?: unknown;
}

async function answerTo(
  question: Question,
  config: ToolgateOptions | undefined,
): Promise<Explained> {
  const { id, tool, input, cwd, mode, home, symlinks, rules, directories } = question;
  const settings = { rules, mode, directories, values: [], diagnostics: [] };
  const onDiagnostic = (diagnostic: Diagnostic) => say(describe(diagnostic));
  const decider = createDecider({ settings, home, symlinks, config, onDiagnostic });
  const { behavior, reason, trail } = await decider.decide({ tool, input, cwd });
  await decider.close();
  return { ...(id !== undefined && { id }), behavior, reason, trail };
}
