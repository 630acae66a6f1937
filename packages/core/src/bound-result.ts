import { attempt, type TapScope } from './hooks/guard.ts';
import type { ContentBlock, TextBlock } from './messages.ts';
import type { Run } from './run.ts';

/** How much of a stored result the model sees, in UTF-16 code units. */
const previewChars = 1_000;

/**
 * Keeps a result small enough for the model. Over `maxChars` UTF-16 code units of text, the whole goes to the
 * result store and the model gets a preview, the path and the size. A store that fails leaves a result that
 * was cut and says so. `Infinity` never cuts.
 */
export async function boundResult(
  content: string | readonly ContentBlock[],
  maxChars: number,
  run: Run,
  scope: TapScope,
): Promise<string | readonly ContentBlock[]> {
  if (maxChars === Infinity) return content;
  const text =
    typeof content === 'string'
      ? content
      : content
          .filter(isText)
          .map(({ text: one }) => one)
          .join('\n');
  if (text.length <= maxChars) return content;
  const shown = await preview(text, Math.min(previewChars, maxChars), run, scope);
  if (typeof content === 'string') return shown;
  return [{ type: 'text', text: shown }, ...content.filter((block) => !isText(block))];
}

const isText = (block: ContentBlock): block is TextBlock =>
  block.type === 'text' && 'text' in block && typeof block.text === 'string';

async function preview(text: string, chars: number, run: Run, scope: TapScope): Promise<string> {
  const head = wholeCharacters(text, chars);
  const size = `${text.length} characters`;
  const stored = await attempt<unknown>(() => run.parts.store.store(text), 30_000, scope);
  if (stored.ok && typeof stored.value === 'string')
    return `${head}\n\n[The result is ${size} long; these are the first ${head.length}. All of it is in ${stored.value}; read it in parts.]`;
  run.parts.report({
    code: 'result-not-stored',
    severity: 'error',
    message: `a result of ${size} could not be stored: ${stored.ok ? 'the store gave no path' : stored.message}`,
  });
  return `${head}\n\n[The result was ${size} long; these are the first ${head.length}. The rest could not be kept.]`;
}

/** The first `length` code units, without half a surrogate pair at the end. */
function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
