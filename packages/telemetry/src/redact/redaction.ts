import { definePlugin, type ContentBlock } from '@toolgate/core';
import { redactSecrets } from './redact-secrets.ts';

/** What is redacted beside well-known secrets. */
export interface RedactionOptions {
  /** Further forms; what they match is replaced by `[redacted own]`. Each needs the flag `g`. */
  readonly forms?: readonly RegExp[];
}

/**
 * Takes well-known secrets out of results before anything is stored or the model reads it (stage 6). When it fails,
 * the result is withheld.
 */
export const redaction = definePlugin<RedactionOptions | void>({
  name: '@toolgate/redaction',
  setup(gate, options) {
    const forms = options?.forms ?? [];
    const clean = async (text: string): Promise<string> => {
      const { text: known } = await redactSecrets(text);
      return forms.reduce((current, form) => current.replaceAll(form, '[redacted own]'), known);
    };
    gate.hooks.result.tap('redaction', async ({ content }) => {
      if (typeof content === 'string') return { content: await clean(content) };
      const blocks: ContentBlock[] = [];
      for (const block of content)
        blocks.push(
          block.type === 'text' && typeof block['text'] === 'string'
            ? { ...block, text: await clean(block['text']) }
            : block,
        );
      return { content: blocks };
    });
  },
});
