import { expect, test } from 'vitest';
import { z } from 'zod';
import { askModel, createToolgate, type LanguageModel, type ModelRequest } from '../src/index.ts';

const { signal } = new AbortController();
const schema = z.object({ ok: z.boolean(), reason: z.string().optional() });

/** A model that notes what it is asked and answers with these parts. */
function modelOf(answer: (request: ModelRequest) => unknown) {
  const requests: ModelRequest[] = [];
  const model: LanguageModel = {
    specificationVersion: 'v4',
    provider: 'test',
    modelId: 'scripted',
    async doGenerate(request) {
      requests.push(request);
      return (await answer(request)) as { content: [] }; // nonsense, too, is answered
    },
  };
  return { model, requests };
}
const says = (...texts: readonly string[]) =>
  modelOf(() => ({ content: texts.map((text) => ({ type: 'text', text })) }));

test('the texts of an answer come as one, and other parts are passed over', async () => {
  const { model, requests } = modelOf(() => ({
    content: [
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ],
  }));

  const text = await askModel(model, {
    system: 'Be short.',
    prompt: 'Say it.',
    signal,
    maxOutputTokens: 7,
  });

  expect(text).toBe('ab');
  expect(requests).toEqual([
    {
      prompt: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: [{ type: 'text', text: 'Say it.' }] },
      ],
      maxOutputTokens: 7,
      abortSignal: expect.any(AbortSignal),
    },
  ]);
});

test('with a schema the model is told of it twice, and the answer is parsed by it', async () => {
  const { model, requests } = says('{"ok":', 'false,"reason":"no"}');

  expect(await askModel(model, { prompt: '?', schema, signal })).toEqual({
    ok: false,
    reason: 'no',
  });

  expect(requests[0]?.responseFormat).toMatchObject({ type: 'json', schema: { type: 'object' } });
  expect(requests[0]?.prompt[0]).toMatchObject({ content: expect.stringContaining('"ok"') });
});

test('a document in one fence is a document', async () => {
  const { model } = says('```json\n{"ok":true}\n```\n');
  expect(await askModel(model, { prompt: '?', schema, signal })).toEqual({ ok: true });
});

test('the text that a model names as its JSON counts before its other texts', async () => {
  const { model } = modelOf(() => ({
    content: [{ type: 'text', text: '{"ok":true}' }],
    structuredOutputText: '{"ok":false}',
  }));
  expect(await askModel(model, { prompt: '?', schema, signal })).toEqual({ ok: false });
});

test.each([
  ['prose', '{"ok":true} is what I think'],
  ['two documents', '{"ok":true}\n{"ok":false}'],
  ['a wrong type', '{"ok":"true"}'],
  ['nothing', ''],
])('%s instead of a document is a rejection', async (_, text) => {
  await expect(askModel(says(text).model, { prompt: '?', schema, signal })).rejects.toBeInstanceOf(
    Error,
  );
});

test.each([undefined, null, 1, {}, { content: 'text' }])(
  'an answer like %j is a rejection',
  async (answer) => {
    const { model } = modelOf(() => answer);
    await expect(askModel(model, { prompt: '?', signal })).rejects.toThrow('without content');
  },
);

test('a model that throws is a rejection that says so', async () => {
  const { model } = modelOf(() => {
    throw new Error('quota is used up');
  });
  await expect(askModel(model, { prompt: '?', signal })).rejects.toThrow('quota is used up');
});

test('an abort ends the question at once, and the model hears of it', async () => {
  const { model, requests } = modelOf(() => new Promise(() => undefined));
  const controller = new AbortController();
  const asked = askModel(model, { prompt: '?', signal: controller.signal });
  controller.abort();

  await expect(asked).rejects.toThrow('abort');
  expect(requests[0]?.abortSignal?.aborted).toBe(true);
});

test('a gate takes no model but one with doGenerate', () => {
  const model = (() => Promise.resolve('')) as unknown as LanguageModel; // what it was before
  expect(() => createToolgate({ model })).toThrow(
    'option model must be a model of an AI SDK provider, with doGenerate().',
  );
});
