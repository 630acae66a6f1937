// Stands in for the model's service: an HTTP server on the loopback address that answers
// POST /v1/messages with the server-sent events of the Messages API, from a script of replies.
// As strict as the service itself about the answers to its tool_use blocks.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** One reply: text, and the tools it calls. */
export interface Reply {
  readonly text: string;
  readonly uses?: readonly { readonly id: string; readonly name: string; readonly input: object }[];
}

/** What the stub says in this example: three calls in one turn, then an answer. */
export const script: readonly Reply[] = [
  {
    text: 'I will look, tidy up and look again.',
    uses: [
      { id: 'toolu_1', name: 'ReadNote', input: { title: 'milk' } },
      { id: 'toolu_2', name: 'DropNote', input: { title: 'milk' } },
      { id: 'toolu_3', name: 'ReadNotes', input: { title: 'milk' } },
    ],
  },
  { text: 'You need two bottles.' },
];

export interface StubModel {
  readonly url: string;
  /** The bodies of the requests so far. */
  readonly requests: readonly Request[];
  close(): Promise<void>;
}

interface Block {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
}
interface Message {
  readonly role: string;
  readonly content: string | readonly Block[];
}
export interface Request {
  readonly stream?: boolean;
  readonly tools?: readonly { readonly name: string }[];
  readonly messages: readonly Message[];
}

/** Starts the stub; the nth request gets the nth reply. A request that breaks the protocol gets status 400. */
export async function startStubModel(replies: readonly Reply[]): Promise<StubModel> {
  const requests: Request[] = [];
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      assert.equal(`${request.method} ${request.url}`, 'POST /v1/messages');
      const body = JSON.parse(await text(request)) as Request; // checked below
      checkRequest(body);
      const reply = replies[requests.push(body) - 1];
      assert.ok(reply, 'the script has no further reply');
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [event, data] of eventsOf(reply, requests.length))
        response.write(`event: ${event}\ndata: ${JSON.stringify({ type: event, ...data })}\n\n`);
      response.end();
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      response.writeHead(400, { 'content-type': 'application/json' });
      const body = { type: 'error', error: { type: 'invalid_request_error', message } };
      response.end(JSON.stringify(body));
    }
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  assert.ok(typeof address === 'object' && address);
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/**
 * The roles take turns, and each tool_use is answered by exactly one tool_result: in the very next
 * message, before anything else in it, in the order of the calls.
 *
 * @throws AssertionError for a request the service would refuse.
 */
export function checkRequest({ stream, messages, tools = [] }: Request): void {
  assert.equal(stream, true, 'the request does not stream');
  assert.ok(tools.length > 0, 'the request offers no tools');
  for (const [index, message] of messages.entries()) {
    const isUser = index % 2 === 0;
    assert.equal(message.role, isUser ? 'user' : 'assistant', 'the roles do not take turns');
    const blocks = blocksOf(message);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    const answered = results.map(({ tool_use_id }) => tool_use_id);
    const called = isUser ? idsOfCalls(messages[index - 1]) : [];
    assert.deepEqual(answered, called, 'the results do not answer the calls one by one, in order');
    assert.deepEqual(blocks.slice(0, results.length), results, 'something stands before a result');
  }
  assert.deepEqual(idsOfCalls(messages.at(-1)), [], 'the last message leaves calls unanswered');
}

const idsOfCalls = (message: Message | undefined) =>
  blocksOf(message).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []));

export const blocksOf = (message: Message | undefined): readonly Block[] =>
  typeof message?.content === 'string' ? [] : (message?.content ?? []);

/** A reply as the events of a stream; a tool's input arrives as pieces of JSON text. */
function* eventsOf(reply: Reply, number: number): Generator<readonly [string, object]> {
  const { uses = [] } = reply;
  const usage = { input_tokens: 1, output_tokens: 1 };
  const message = { id: `msg_${number}`, type: 'message', role: 'assistant', content: [], usage };
  const open = { model: 'stub', stop_reason: null, stop_sequence: null };
  yield ['message_start', { message: { ...message, ...open } }];
  yield ['ping', {}];
  yield ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }];
  for (const word of reply.text.split(/(?<= )/))
    yield ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: word } }];
  yield ['content_block_stop', { index: 0 }];
  for (const [position, { id, name, input }] of uses.entries()) {
    const index = position + 1;
    const block = { type: 'tool_use', id, name, input: {} };
    yield ['content_block_start', { index, content_block: block }];
    for (const part of JSON.stringify(input).match(/.{1,7}/gs) ?? [])
      yield [
        'content_block_delta',
        { index, delta: { type: 'input_json_delta', partial_json: part } },
      ];
    yield ['content_block_stop', { index }];
  }
  const stopReason = uses.length > 0 ? 'tool_use' : 'end_turn';
  yield ['message_delta', { delta: { stop_reason: stopReason, stop_sequence: null }, usage }];
  yield ['message_stop', {}];
}
