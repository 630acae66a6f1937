import type { ContentReplacementState } from './context.ts';
import { attempt, type TapScope } from './hooks/guard.ts';
import type { ContentBlock, TextBlock } from './messages.ts';
import type { Parts } from './run.ts';

/** How much of a stored result the model sees, in UTF-16 code units. */
const previewChars = 1_000;
/** The largest picture the Messages API takes, in bytes of base64. */
const maxImageChars = 5 * 1024 * 1024;
const imageTypes = new Set<unknown>(['image/png', 'image/jpeg', 'image/gif', 'image/webp']);

type Content = string | readonly ContentBlock[];
/** What the model gets, and the files that hold the rest. */
export interface Bounded {
  readonly content: Content;
  readonly stored: readonly string[];
}
/** Where a result is kept, which one it is, and what the conversation replaced before. */
export interface Keeping {
  readonly parts: Pick<Parts, 'store' | 'report'>;
  readonly scope: Pick<TapScope, 'signal' | 'clock'>;
  readonly id: string;
  readonly state: ContentReplacementState | undefined;
}

/** The text of a result, without its pictures. */
export const textIn = (content: Content): string =>
  typeof content === 'string'
    ? content
    : content
        .filter(isText)
        .map(({ text }) => text)
        .join('\n');

/**
 * Keeps a result small enough for the model. Over `maxChars` UTF-16 code units of text, the whole goes to the
 * result store and the model gets a preview, the path and the size; `Infinity` never cuts. Data that a model
 * cannot be shown is stored as well. A store that fails leaves a result that was cut and says so.
 */
export async function boundResult(
  given: Content,
  maxChars: number,
  keeping: Keeping,
): Promise<Bounded> {
  const shown = typeof given === 'string' ? given : given.filter(isNotBlank);
  const { content, stored } = await withoutBinary(shown, keeping);
  const text = textIn(content);
  if (text.length <= maxChars) return { content, stored };
  const cut = await replacementFor(text, Math.min(previewChars, maxChars), keeping);
  return {
    content: withText(content, cut.text),
    stored: cut.path === undefined ? stored : [...stored, cut.path],
  };
}

/** The content with one text in the place of its own, and its other blocks behind it. */
export const withText = (content: Content, text: string): Content =>
  typeof content === 'string'
    ? text
    : [{ type: 'text', text }, ...content.filter((block) => !isText(block))];

/** How the text begins that stands in for a long one which could be stored. */
const beginning = (text: string, head: string): string =>
  `${head}\n\n[The result is ${text.length} characters long`;

/** What the conversation has in the place of this very text already. */
export function knownReplacement(
  text: string,
  chars: number,
  { id, state }: Pick<Keeping, 'id' | 'state'>,
): string | undefined {
  const known = state?.replacements.get(id);
  return known?.startsWith(beginning(text, wholeCharacters(text, chars))) ? known : undefined;
}

/** What stands in for a text that is too long. */
export async function replacementFor(
  text: string,
  chars: number,
  keeping: Keeping,
): Promise<{ readonly text: string; readonly path?: string }> {
  const known = knownReplacement(text, chars, keeping);
  if (known !== undefined) return { text: known };
  const head = wholeCharacters(text, chars);
  const size = `${text.length} characters`;
  const path = await keep(text, 'txt', `a result of ${size}`, keeping);
  if (path === undefined)
    return {
      text: `${head}\n\n[The result was ${size} long; these are the first ${head.length}. The rest could not be kept.]`,
    };
  const shown = `${beginning(text, head)}; these are the first ${head.length}. All of it is in ${path}; read it in parts.]`;
  keeping.state?.replacements.set(keeping.id, shown);
  return { text: shown, path };
}

/** Stores something within 30 s; undefined, with a diagnostic, when that fails. */
async function keep(
  content: string | Uint8Array,
  extension: string,
  what: string,
  { parts, scope }: Pick<Keeping, 'parts' | 'scope'>,
): Promise<string | undefined> {
  const stored = await attempt<unknown>(() => parts.store.store(content, extension), 30_000, scope);
  if (stored.ok && typeof stored.value === 'string') return stored.value;
  parts.report({
    code: 'result-not-stored',
    severity: 'error',
    message: `${what} could not be stored: ${stored.ok ? 'the store gave no path' : stored.message}`,
  });
  return undefined;
}

/** Blocks of base64 that the Messages API refuses become files, and a line that names them. */
async function withoutBinary(content: Content, keeping: Keeping): Promise<Bounded> {
  if (typeof content === 'string' || content.every((block) => !isForeignData(block)))
    return { content, stored: [] };
  const stored: string[] = [];
  const blocks = await Promise.all(
    content.map(async (block): Promise<ContentBlock> => {
      if (!isForeignData(block)) return block;
      const { media_type: type, data } = block.source;
      const bytes = Buffer.from(data, 'base64');
      const what = `${type.slice(0, 80)}, ${bytes.length} bytes`;
      const path = await keep(bytes, extensionOf(type), `a result (${what})`, keeping);
      if (path !== undefined) stored.push(path);
      const where = path === undefined ? 'It could not be kept.' : `It is in ${path}.`;
      return { type: 'text', text: `[Data that cannot be shown: ${what}. ${where}]` };
    }),
  );
  return { content: blocks, stored };
}

interface DataBlock {
  readonly type: string;
  readonly source: { readonly media_type: string; readonly data: string };
}

/** True for base64 data other than a picture or document that the API takes. */
function isForeignData(block: ContentBlock): block is ContentBlock & DataBlock {
  const { source } = block as { readonly source?: unknown }; // only looked at
  const { type, media_type: mediaType, data } = Object(source) as Partial<Record<string, unknown>>; // as above
  if (type !== 'base64' || typeof mediaType !== 'string' || typeof data !== 'string') return false;
  if (block.type === 'document') return false;
  return !(block.type === 'image' && imageTypes.has(mediaType) && data.length <= maxImageChars);
}

/** `wav` of `audio/wav`; `bin` of whatever makes no plain extension. */
const extensionOf = (mediaType: string): string =>
  /^[a-z]+\/(?:x-)?([a-z0-9]{1,8})\b/.exec(mediaType)?.[1] ?? 'bin';

const isText = (block: ContentBlock): block is TextBlock =>
  block.type === 'text' && 'text' in block && typeof block.text === 'string';

/** The API refuses text blocks without a visible character. */
const isNotBlank = (block: ContentBlock): boolean => !isText(block) || block.text.trim() !== '';

/** The first `length` code units, without half a surrogate pair at the end. */
function wholeCharacters(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
