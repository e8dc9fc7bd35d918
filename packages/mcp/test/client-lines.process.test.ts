import { expect, test } from 'vitest'
import { peakMemory } from '../../../test/support/processes.ts'
import { hostileHome } from './helpers/hostile.ts'
import { RawClient, type RawMessage } from './helpers/raw-client.ts'

const deep = (levels = 20_000): string => '['.repeat(levels) + ']'.repeat(levels)

/** Runs a test with a gateway in front of a healthy server. At the end, the gateway must still work and exit with 0. */
async function withClient(scene: (client: RawClient) => Promise<void>, mode = 'healthy'): Promise<void> {
  await using home = await hostileHome(mode)
  const client = new RawClient(home)
  try {
    await client.initialize({ elicitation: { form: {} }, sampling: {} })
    await scene(client)
    expect(await client.call('last', 'mcp__healthy__echo', { text: 'still here' })).toBe('still here')
    expect(client.failure).toBeNull()
  } finally {
    expect(await client.close()).toBe(0)
  }
}

test('a message of more than 10 MiB is answered with an error, and does not end the gateway', () =>
  withClient(async (client) => {
    const text = 'x'.repeat(11 << 20)
    const first = await client.request(5, 'tools/call', {
      name: 'mcp__healthy__echo',
      arguments: { text },
    })
    expect(first).toMatchObject({
      id: 5,
      error: { code: -32_600, message: expect.stringMatching(/expected at most 10485760 bytes, got \d+/) },
    })
    // The id may also be the last member.
    const last = client.answerTo('last-member')
    client.send(JSON.stringify({ jsonrpc: '2.0', method: 'ping', params: { text }, id: 'last-member' }))
    expect(await last).toMatchObject({ error: { code: -32_600 } })
    // A line of any length is skipped and not kept in memory.
    const endless = client.answerTo(6)
    client.process.stdin!.write('{"jsonrpc":"2.0","id":6,"method":"')
    const chunk = Buffer.alloc(1 << 20, 'x')
    for (let written = 0; written < 150; written++)
      await new Promise<void>((resolve) => client.process.stdin!.write(chunk, () => resolve()))
    client.send('"}')
    expect(await endless).toMatchObject({ error: { code: -32_600 } })
    expect(peakMemory(client.pid)).toBeLessThan(500)
  }))

const invalid: readonly [string, string, number | string | null, number][] = [
  [
    'deep _meta',
    `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"a":${deep()}}}}`,
    7,
    -32_700,
  ],
  [
    '_meta just too deep',
    `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"a":${deep(198)}}}}`,
    7,
    -32_700,
  ],
  [
    'deep arguments',
    `{"jsonrpc":"2.0","method":"tools/call","params":{"a":${deep()}},"id":"x"}`,
    'x',
    -32_700,
  ],
  [
    'a progress token that is an object',
    '{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"progressToken":{}}}}',
    7,
    -32_600,
  ],
  ['parameters that are an array', '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', 7, -32_600],
  ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":7,"method":"ping"}', 7, -32_600],
  ['a method and a result', '{"jsonrpc":"2.0","id":7,"method":"ping","result":{}}', 7, -32_600],
  [
    'an id that is an object',
    '{"jsonrpc":"2.0","id":{"toString":1,"valueOf":1},"method":"ping"}',
    null,
    -32_600,
  ],
  ['an id that is an array', '{"jsonrpc":"2.0","id":[7],"method":"ping"}', null, -32_600],
  ['an id that is null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', null, -32_600],
  ['an id out of range', '{"jsonrpc":"2.0","id":1e400,"method":"ping"}', null, -32_600],
  ['a batch', '[{"jsonrpc":"2.0","id":7,"method":"ping"}]', null, -32_600],
  ['half a message', '{"jsonrpc":"2.0","id":7,"method":"ping","par', 7, -32_700],
  ['text', 'hello?', null, -32_700],
  ['NUL', '\0', null, -32_700],
]

test('an invalid line is answered with an error, and the gateway continues', () =>
  withClient(async (client) => {
    for (const [name, line, id, code] of invalid) {
      const answer = client.answerTo(id)
      client.send(line)
      const { error } = await answer
      expect([name, error?.code]).toEqual([name, code])
      expect(error?.message).toMatch(/^(Parse error|Invalid request): /)
      await client.request(name, 'ping')
    }
  }))

test('byte order marks, other line endings, blank lines and unusual ids are accepted', () =>
  withClient(async (client) => {
    for (const [line, id] of [
      ['\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}', 1],
      ['\r\n\n  {"jsonrpc":"2.0","id":2,"method":"ping"}\r', 2],
      ['{"jsonrpc":"2.0","id":-0,"method":"ping"}', 0],
      ['{"jsonrpc":"2.0","id":9007199254740991,"method":"ping","params":null}', 9007199254740991],
      ['{"jsonrpc":"2.0","id":"__proto__","method":"ping","__proto__":{"polluted":1}}', '__proto__'],
      ['{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', '\ud800'],
    ] as const) {
      const answer = client.answerTo(id)
      client.send(line)
      expect(await answer).toMatchObject({ id, result: {} })
    }
  }))

test(
  'a hundred thousand concurrent small messages are each answered once',
  () =>
    withClient(async (client) => {
      const count = 100_000
      const ids = new Set<unknown>()
      let answers = 0
      const all = new Promise<void>((resolve) => {
        client.onmessage = ({ id, method }) => {
          if (method !== undefined) return
          ids.add(id)
          if (++answers === count) resolve()
        }
      })
      const lines = Array.from({ length: count }, (_, id) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
      client.send(lines.join('\n'))
      await all
      await client.request('after', 'ping')
      expect([answers, ids.size]).toEqual([count + 1, count + 1])
      expect(peakMemory(client.pid)).toBeLessThan(600)
    }),
  120_000,
)

test('an invalid notification is not answered', () =>
  withClient(async (client) => {
    const received: RawMessage[] = []
    client.onmessage = (message) => received.push(message)
    for (const params of ['5', '{"requestId":{"toString":1}}', `{"requestId":${deep()}}`, '{"requestId":[]}'])
      client.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":${params}}`)
    client.send(
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":{},"progress":"x"}}',
    )
    client.send('{"jsonrpc":"2.0","id":99,"result":[]}')
    client.send('{"jsonrpc":"2.0","id":{},"error":7}')
    await client.request('after', 'ping')
    expect(received.map(({ id }) => id)).toEqual(['after'])
  }))

test('an invalid response of the client fails its request', () =>
  withClient(async (client) => {
    const asked: RawMessage[] = []
    client.onmessage = (message) => {
      if (message.method !== 'sampling/createMessage') return
      asked.push(message)
      client.send(`{"jsonrpc":"2.0","id":${JSON.stringify(message.id)},"result":${deep()}}`)
    }
    await client.request('list', 'tools/list')
    expect(await client.call('act', 'mcp__hostile__act')).toBe('done')
    expect(asked.length).toBeGreaterThan(0)
  }, 'requests-sampling'))

test('the gateway works if the client closes its stderr', () =>
  withClient(async (client) => {
    await client.request('list', 'tools/list')
    client.process.stderr!.destroy()
    // Each of them is logged.
    for (const pad of ['an array as id', 'a deep log message', 'a batch', 'a deep question'])
      expect(await client.call(pad, 'mcp__hostile__act', { pad })).toBe('done')
  }, 'odd-messages'))

test.for(['', '{"jsonrpc":"2.0","id":5,"method":"tools/li', '{"jsonrpc":"2.0","id":5,"method":"ping"}'])(
  'the gateway exits cleanly if its client disconnects in the middle of a message: %j',
  async (half) => {
    await using home = await hostileHome('healthy')
    const client = new RawClient(home)
    await client.initialize()
    client.process.stdin!.write(half)
    expect(await client.close()).toBe(0)
    expect(client.stderr).not.toMatch(/error/i)
  },
)
