import { readFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import {
  createServer as createTcpServer,
  type AddressInfo,
  type Server,
  type Socket,
} from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { matchesUrl, isPrivateAddress } from '../src/http-policy.ts';
import { echoHi, envelope, group, hookGate, value } from './helpers/hook-gate.ts';

/** Listens on a free port of loopback until the test is over. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port; // it listens on a port
}
interface Seen {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}
/** A server that notes what comes and answers so. */
async function serve(answer: (response: ServerResponse, seen: Seen) => void) {
  const seen: Seen[] = [];
  const onRequest: RequestListener = (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method, url, headers } = request;
      const one = { method, url, headers, body: Buffer.concat(chunks).toString() };
      seen.push(one);
      answer(response, one);
    });
  };
  const port = await listen(createServer(onRequest));
  return { seen, port, url: `http://127.0.0.1:${port}/hook` };
}

async function run(hook: object, more: Parameters<typeof hookGate>[2] = {}) {
  const { gate, diagnostics, ran } = hookGate(
    '/tmp',
    { PreToolUse: [group('Bash', { type: 'http', ...hook })] },
    more,
  );
  const outcome = await gate.run(echoHi);
  await gate.close();
  return {
    ran: ran.length === 1,
    content: JSON.stringify(outcome.block.content),
    codes: diagnostics.map(({ code }) => code),
    messages: diagnostics.map(({ message }) => message).join('\n'),
  };
}
const json = (text: string) => (response: ServerResponse) => {
  response.setHeader('Content-Type', 'application/json');
  response.end(text);
};

test('H30: 500 is reported, a deny envelope denies, plain text and a list are reported, nothing is nothing', async () => {
  const answers = [
    (response: ServerResponse) => void response.writeHead(500).end(envelope('deny')),
    json(envelope('deny', { permissionDecisionReason: 'Not today.' })),
    json('deny'),
    json('["deny"]'),
    json(''),
  ];
  const { url, seen } = await serve((response) => answers[seen.length - 1]?.(response));

  expect(await run({ url })).toMatchObject({ ran: true, codes: ['hook-failed'] });
  expect(await run({ url })).toMatchObject({
    ran: false,
    content: expect.stringContaining('Not today.'),
  });
  expect(await run({ url })).toMatchObject({ ran: true, codes: ['hook-output-invalid'] });
  expect(await run({ url })).toMatchObject({ ran: true, codes: ['hook-output-invalid'] });
  expect(await run({ url })).toMatchObject({ ran: true, codes: [] });
});

test('the payload is posted as JSON', async () => {
  const { url, seen } = await serve(json('{}'));
  await run({ url });
  expect(seen[0]).toMatchObject({
    method: 'POST',
    headers: { 'content-type': 'application/json' },
  });
  expect(JSON.parse(seen[0]?.body ?? '')).toMatchObject({
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command: 'echo hi' },
  });
});

test('headers hold only variables that the hook and the settings both allow', async () => {
  const { url, seen } = await serve(json('{}'));
  const headers = {
    Authorization: 'Bearer $TOKEN',
    Other: '${TOKEN}-$SECRET-$MISSING',
    'Content-Length': '1',
    'Transfer-Encoding': 'chunked',
  };
  const options = { env: { PATH: process.env['PATH'], TOKEN: 't0k', SECRET: 's3cret' } };
  await run({ url, headers, allowedEnvVars: ['TOKEN', 'MISSING'] }, { options });
  expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer t0k', other: 't0k--' });
  expect(seen[0]?.headers).not.toHaveProperty('transfer-encoding');

  const values = [value('httpHookAllowedEnvVars', ['SECRET'], 'policySettings')];
  await run({ url, headers, allowedEnvVars: ['TOKEN'] }, { options, values });
  expect(seen[1]?.headers).toMatchObject({ authorization: 'Bearer', other: '--' });
});

test('once allowedHttpHookUrls is there, only what it names is called; an empty list names nothing', async () => {
  const { url, port, seen } = await serve(json(envelope('deny')));
  const policy = (list: unknown) => ({ values: [value('allowedHttpHookUrls', list)] });

  for (const list of [[], ['http://example.com/*'], 'nonsense'])
    expect(await run({ url }, policy(list))).toMatchObject({
      ran: true,
      codes: ['hook-not-started'],
    });
  expect(seen).toHaveLength(0);
  for (const list of [['*'], [`http://127.0.0.1:${port}/*`], ['http://127.0.0.1:*/hook']])
    expect(await run({ url }, policy(list))).toMatchObject({ ran: false });
});

test('a redirect within the same host is followed, one to another host or port is not', async () => {
  const other = await serve(json(envelope('deny')));
  const { url } = await serve((response, { url: path }) => {
    if (path === '/here') json(envelope('deny'))(response);
    else response.writeHead(307, { Location: path === '/hook' ? '/here' : other.url }).end();
  });
  expect(await run({ url })).toMatchObject({ ran: false });
  const away = await run({ url: url.replace('/hook', '/away') });
  expect(away).toMatchObject({ ran: true, codes: ['hook-not-started'] });
  expect(away.messages).toContain('redirects to another host');
  expect(other.seen).toHaveLength(0);
});

test('a circle of redirects ends', async () => {
  const { url, seen } = await serve((response) =>
    response.writeHead(302, { Location: '/hook' }).end(),
  );
  expect(await run({ url })).toMatchObject({ ran: true, codes: ['hook-not-started'] });
  expect(seen).toHaveLength(6);
});

test('a slow server is given up at the limit, and blocks where the hook says so', async () => {
  const { url } = await serve(() => undefined);
  expect(await run({ url, timeout: 0.1 })).toMatchObject({ ran: true, codes: ['hook-timed-out'] });
  expect(await run({ url, timeout: 0.1, onFailure: 'block' })).toMatchObject({ ran: false });
});

test('an answer that never ends is given up at 1 MiB', async () => {
  let written = 0;
  const { url } = await serve((response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536;
      written += 65_536;
    };
    response.on('drain', more);
    more();
  });
  expect(await run({ url })).toMatchObject({ ran: true, codes: ['hook-output-invalid'] });
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

test.each([
  ['closes at once', (socket: Socket) => socket.destroy()],
  [
    'closes in the middle',
    (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n{"hook'),
  ],
  ['talks nonsense', (socket: Socket) => socket.end('hello\r\n\r\n')],
  [
    'sends endless headers',
    (socket: Socket) => socket.end(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(200_000)}\r\n\r\n`),
  ],
  [
    'answers in an encoding nobody asked for',
    (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nxx'),
  ],
])('a server that %s is a failed hook', async (_, answer) => {
  const server = createTcpServer({ allowHalfOpen: true }, (socket) =>
    socket.once('data', () => answer(socket)),
  );
  const url = `http://127.0.0.1:${await listen(server)}/`;
  expect(await run({ url })).toMatchObject({ ran: true, codes: ['hook-not-started'] });
  expect(await run({ url, onFailure: 'block' })).toMatchObject({ ran: false });
});

test('a server that half-closes after a whole answer has answered', async () => {
  const body = envelope('deny');
  const server = createTcpServer({ allowHalfOpen: true }, (socket) =>
    socket.once('data', () => socket.end(`HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${body}`)),
  );
  expect(await run({ url: `http://127.0.0.1:${await listen(server)}/` })).toMatchObject({
    ran: false,
  });
});

test('nobody listening, and a certificate that nobody vouches for, are failed hooks', async () => {
  expect(await run({ url: 'http://127.0.0.1:1/' })).toMatchObject({
    ran: true,
    codes: ['hook-not-started'],
  });
  const at = (name: string) => readFileSync(new URL(`./fixtures/${name}`, import.meta.url));
  const server = createTlsServer(
    { key: at('localhost-key.pem'), cert: at('localhost-cert.pem') },
    (_, response) => json(envelope('deny'))(response),
  );
  const url = `https://localhost:${await listen(server)}/`;
  expect(await run({ url })).toMatchObject({ ran: true, codes: ['hook-not-started'] });
});

test.each(['ftp://127.0.0.1/', 'file:///etc/passwd', 'nonsense', 'http://name:word@127.0.0.1:1/'])(
  'no request is made to %s',
  async (url) => {
    const { ran, messages } = await run({ url });
    expect([ran, messages]).toEqual([true, expect.stringContaining('was not called')]);
  },
);

test.each([
  'http://10.0.0.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://192.168.1.1:8080/',
  'http://[fd00::1]/',
  'http://0.0.0.0:1/',
  'http://[::ffff:10.0.0.1]/',
])('a private address such as %s is not talked to unless the URL is allowed', async (url) => {
  const { ran, codes } = await run({ url, timeout: 5 });
  expect([ran, codes]).toEqual([true, ['hook-not-started']]);
});

test('a private address is talked to where a pattern names it, and not for the sake of a bare star', async () => {
  const refused = { values: [value('allowedHttpHookUrls', ['*'])] };
  expect((await run({ url: 'http://0.0.0.0:1/' }, refused)).messages).toContain('private address');
  const { port } = await serve(json(envelope('deny')));
  const named = { values: [value('allowedHttpHookUrls', ['http://0.0.0.0:*/*'])] };
  expect(await run({ url: `http://0.0.0.0:${port}/` }, named)).toMatchObject({ ran: false });
});

test('an abort ends the request', async () => {
  const controller = new AbortController();
  const { url } = await serve(() => controller.abort());
  const { gate, diagnostics } = hookGate('/tmp', {
    PreToolUse: [group('Bash', { type: 'http', url })],
  });
  const { outcome } = await gate.run(echoHi, { signal: controller.signal });
  await gate.close();
  expect([outcome, diagnostics]).toEqual(['aborted', []]);
});

test.each([
  ['*', 'https://any.example/x', true],
  ['https://hooks.example.com/*', 'https://hooks.example.com/a/b?c=d', true],
  ['https://hooks.example.com/*', 'https://HOOKS.example.com./a', true],
  ['https://hooks.example.com/*', 'http://hooks.example.com/a', false],
  ['https://hooks.example.com/*', 'https://hooks.example.com.evil.example/a', false],
  ['https://hooks.example.com', 'https://hooks.example.com.evil.example/a', false],
  ['https://hooks.example.com/*', 'https://hooks.example.com:8443/a', false],
  ['https://*.example.com/*', 'https://a.b.example.com/x', true],
  ['https://*.example.com/*', 'https://evil.example/?.example.com/', false],
  ['https://*.example.com/*', 'https://evil.example/.example.com/', false],
  ['http://localhost:*/*', 'http://localhost:3000/x', true],
  ['http://localhost:*/*', 'http://localhost/x', true],
  ['http://localhost:80/*', 'http://localhost/x', true],
  ['*://localhost/*', 'https://localhost/x', true],
  ['https://a.example/only', 'https://a.example/only/more', false],
  ['a.example', 'https://a.example/', false],
])('the pattern %s and %s: %s', (pattern, url, expected) => {
  expect(matchesUrl(pattern, new URL(url))).toBe(expected);
});

test.each(['::1', '::ffff:7f00:1', 'fe80::1', 'not an address', '100.64.0.1', '224.0.0.1'])(
  '%s is private',
  (address) => expect(isPrivateAddress(address)).toBe(true),
);
test.each(['1.1.1.1', '2606:4700::1111', '172.15.0.1'])('%s is public', (address) =>
  expect(isPrivateAddress(address)).toBe(false),
);
