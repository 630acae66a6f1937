import type { HandlerEnd } from './handler-end.ts';
import type { Said } from './handler-runner.ts';

/** What handlers in the background have said, kept until the model can be told. */
export interface LaterTexts {
  /** Keeps what one said. With `asyncRewake` and exit code 2 `onWake` gets it, where there is one. */
  add(said: Said, end: HandlerEnd): void;
  /** Everything kept since the last time, as one text. */
  take(): string | undefined;
}

/** The most texts that are kept; the oldest go first. */
const maxTexts = 100;

export function laterTexts(onWake: ((text: string) => void) | undefined): LaterTexts {
  let texts: string[] = [];
  const keep = (text: string | undefined) => {
    if (text === undefined || text.trim() === '') return;
    texts = [...texts, text].slice(-maxTexts);
  };
  return {
    add({ handler, output }, end) {
      const isWakeUp = handler.rewakes && end.state === 'ended' && end.exitCode === 2;
      if (!isWakeUp) return keep(joined(output.context, output.message));
      const said = [end.stderr, end.stdout].find((stream) => stream.trim() !== '') ?? '';
      const text = said.trim().slice(0, 10_000);
      if (onWake) onWake(text);
      else keep(text);
    },
    take() {
      const [first, ...rest] = texts;
      texts = [];
      return first === undefined ? undefined : [first, ...rest].join('\n');
    },
  };
}

const joined = (...texts: readonly (string | undefined)[]) =>
  texts.filter((text) => text !== undefined && text !== '').join('\n');
