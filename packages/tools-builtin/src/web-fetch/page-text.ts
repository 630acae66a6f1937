import { fileError as fetchError } from '../files/judged-path.ts';
import { toMarkdown } from './to-markdown.ts';

/** The text of a page: HTML as Markdown, text as it is. Throws for anything else, naming what it is. */
export async function pageText(
  body: Buffer,
  contentType: string,
  limits: { readonly limitMs: number; readonly signal: AbortSignal },
): Promise<string> {
  const [type = ''] = contentType.toLowerCase().split(';');
  const kind = type.trim() || (looksLikeText(body) ? 'text/plain' : 'application/octet-stream');
  const text = decode(body, contentType, kind);
  if (kind === 'text/html' || kind === 'application/xhtml+xml') return toMarkdown(text, limits);
  if (/^text\/|[/+](?:json|xml|yaml|javascript|ecmascript|markdown)$/.test(kind)) return text;
  throw fetchError(
    `This is ${kind}, ${body.length} bytes, and no text. Fetch a page instead, or let Bash download it.`,
    'the content is no text',
  );
}

/** By the label of the server, else of the page, else UTF-8. An unknown label is UTF-8. */
function decode(body: Buffer, contentType: string, kind: string): string {
  const named = /charset\s*=\s*"?([\w:.-]+)/i.exec(contentType)?.[1];
  const written = /html|xml/.test(kind)
    ? /charset\s*=\s*["']?([\w:.-]+)|encoding\s*=\s*["']([\w:.-]+)/i.exec(
        body.subarray(0, 1_024).toString('latin1'),
      )
    : undefined;
  const label = named ?? written?.[1] ?? written?.[2] ?? 'utf-8';
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

const looksLikeText = (body: Buffer): boolean => !body.subarray(0, 8_192).includes(0);
