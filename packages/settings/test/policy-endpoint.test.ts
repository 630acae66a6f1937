import { once } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { expect, onTestFinished, test } from 'vitest';
import { places, put, texts } from './helpers.ts';

const certificate = await generate([{ name: 'commonName', value: 'localhost' }], {
  keySize: 2048,
  algorithm: 'sha256',
  extensions: [
    { name: 'basicConstraints', cA: true },
    { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
  ],
});

/** An organisation's endpoint on loopback that answers as `state` says at that moment. */
async function organisation() {
  const state: {
    answer: (request: IncomingMessage, response: ServerResponse) => void;
    readonly requests: IncomingMessage[];
  } = { answer: (_request, response) => response.writeHead(500).end(), requests: [] };
  const server = createServer({ key: certificate.private, cert: certificate.cert });
  server.on('request', (request, response) => {
    state.requests.push(request);
    state.answer(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo; // it listens on a port
  const found = await places();
  const url = `https://127.0.0.1:${port}/policy`;
  const use = (more: object = {}) => put(found.managed, { policyEndpoint: { url, ...more } });
  await use();
  const read = async () => (await found.open({ ca: certificate.cert })).current();
  return { ...found, state, url, use, read };
}

const sends =
  (settings: unknown, etag?: string) =>
  (_request: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(200, etag === undefined ? {} : { etag });
    response.end(typeof settings === 'string' ? settings : JSON.stringify(settings));
  };

test('what the endpoint sends is policy, stronger than any file', async () => {
  const { state, url, read, user } = await organisation();
  await put(user, { permissions: { defaultMode: 'acceptEdits' } });
  state.answer = sends({ permissions: { deny: ['Bash(curl *)'], defaultMode: 'plan' } });
  const { rules, mode, diagnostics } = await read();

  expect(rules).toMatchObject([
    { text: 'Bash(curl *)', source: 'policySettings', file: url, pointer: '/permissions/deny/0' },
  ]);
  expect([mode, diagnostics]).toEqual(['plan', []]);
});

test('the answer is kept with its ETag, asked for with it, and holds while nothing changed', async () => {
  const { state, read, home } = await organisation();
  state.answer = sends({ permissions: { deny: ['A'] } }, '"v1"');
  await read();
  const folder = join(home, '.toolgate/policy');
  const [file = ''] = await readdir(folder);
  expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);

  state.answer = (_request, response) => response.writeHead(304).end();
  const { rules, diagnostics } = await read();
  expect([texts(rules), diagnostics]).toEqual([['deny A'], []]);
  expect(state.requests.map(({ headers }) => headers['if-none-match'])).toEqual([
    undefined,
    '"v1"',
  ]);
});

test.for<readonly [string, (request: IncomingMessage, response: ServerResponse) => void, RegExp]>([
  ['an error', (_request, response) => response.writeHead(503).end(), /status 503/],
  [
    'a redirect',
    (_request, response) => response.writeHead(302, { location: 'https://x/' }).end(),
    /status 302/,
  ],
  ['no JSON', sends('<html>'), /it sent no valid settings/],
  ['a list', sends([]), /it sent no valid settings/],
  [
    'half an answer',
    (_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{', () => response.destroy());
    },
    /could not be reached/,
  ],
  ['too much', sends(`{"a": "${'x'.repeat(1_100_000)}"}`), /more than 1 MiB/],
  ['silence', () => undefined, /no answer within 200 ms/],
])('%s: the last good copy holds, and it is said', async ([, answer, why]) => {
  const { state, read, use } = await organisation();
  await use({ timeoutMs: 200 });
  state.answer = sends({ permissions: { deny: ['A'] } });
  await read();
  state.answer = answer;
  const { rules, diagnostics } = await read();

  expect(texts(rules)).toEqual(['deny A']);
  expect(diagnostics).toMatchObject([{ code: 'policy-endpoint', severity: 'warning' }]);
  expect(diagnostics[0]?.message).toMatch(why);
  expect(diagnostics[0]?.message).toMatch(/the last good copy holds/);
});

test('never reached: nothing may run, unless the organisation says that it may', async () => {
  const { read, use } = await organisation();
  const shut = await read();
  expect(texts(shut.rules)).toEqual(['deny *']);
  expect(shut.diagnostics[0]?.message).toMatch(/status 500.*nothing may run until it is there/);

  await use({ whenUnreachable: 'open' });
  const open = await read();
  expect([texts(open.rules), open.diagnostics.map(({ severity }) => severity)]).toEqual([
    [],
    ['warning'],
  ]);
});

test.for([
  [{ url: 'http://127.0.0.1/' }, /url/],
  [{ url: 'nonsense' }, /url/],
  [{ whenUnreachable: 'maybe' }, /whenUnreachable/],
  [{ timeoutms: 5 }, /timeoutms/],
] as const)('a wrong endpoint %j lets nothing run', async ([more, message]) => {
  const { read, use } = await organisation();
  await use(more);
  const { rules, diagnostics } = await read();
  expect(texts(rules)).toEqual(['deny *']);
  expect(diagnostics[0]?.message).toMatch(message);
});

test('a copy that was tampered with is none; a certificate that nobody vouches for is no endpoint', async () => {
  const { state, read, home, open } = await organisation();
  state.answer = sends({ permissions: { deny: ['A'] } });
  await read();
  const folder = join(home, '.toolgate/policy');
  const [file = ''] = await readdir(folder);
  await put(join(folder, file), '{"url": "https://other/", "text": "{}"}');
  state.answer = (_request, response) => response.writeHead(500).end();
  expect(texts((await read()).rules)).toEqual(['deny *']);

  state.answer = sends({});
  expect(texts((await open()).current().rules)).toEqual(['deny *']);
});

test('a project cannot name an endpoint', async () => {
  const { state, managed, project, url, open } = await organisation();
  await put(managed, {});
  await put(project, { policyEndpoint: { url } });
  await open({ trusted: true, ca: certificate.cert });
  expect(state.requests).toEqual([]);
});
