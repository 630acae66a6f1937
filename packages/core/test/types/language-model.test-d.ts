// Checked by tsc: models of all three versions of the AI SDK's specification are Toolgate's port.
import type { LanguageModelV2, LanguageModelV3, LanguageModelV4 } from '@ai-sdk/provider';
import { z } from 'zod';
import { askModel, type LanguageModel } from '../../src/index.ts';

declare const v2: LanguageModelV2;
declare const v3: LanguageModelV3;
declare const v4: LanguageModelV4;
export const models: readonly LanguageModel[] = [v2, v3, v4];

const { signal } = new AbortController();
export const text: Promise<string> = askModel(v4, { prompt: 'Why?', signal });
export const json: Promise<{ ok: boolean }> = askModel(v4, {
  prompt: 'Why?',
  schema: z.object({ ok: z.boolean() }),
  signal,
});
// @ts-expect-error -- the id of a model is no model
export const name: LanguageModel = 'some-model';
