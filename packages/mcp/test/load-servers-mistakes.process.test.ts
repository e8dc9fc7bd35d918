import { dirname } from 'node:path'
import { formatProblem } from '@curfew/extensions'
import { missingVariables, readServer } from '@curfew/mcp/config'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ServerFiles } from './helpers/server-files.ts'

const files = new ServerFiles()

describe('a mistake is reported with file and field, and the server is left out', () => {
  it.each<[string, unknown, RegExp]>([
    ['no command and no URL', {}, /^error: mcpServers\.one: requires "command" .+ or "url"/],
    ['a command and a URL', { command: 'a', url: 'https://a.example' }, /one: has both "command" and "url"/],
    ['an array', ['npx'], /^error: mcpServers\.one: expected an object/],
    ['null', null, /expected an object/],
    ['an empty command', { command: '' }, /one\.command: /],
    ['a command that a variable leaves empty', { command: '${UNSET:-}' }, /one\.command: is empty/],
    ['args as a string', { command: 'a', args: '-y x' }, /one\.args: must be array/],
    ['an object among args', { command: 'a', args: [{}] }, /one\.args\[0\]: must be string/],
    ['env as an array', { command: 'a', env: ['A=b'] }, /one\.env: must be object/],
    [
      'an invalid variable name',
      { command: 'a', env: { 'A=B': 'c' } },
      /one\.env\.A=B: is not a valid variable name/,
    ],
    ['a NUL', { command: 'a', args: ['b\0c'] }, /one\.args\[0\]: contains a NUL/],
    [
      'a secret in args in an unsupported position',
      { command: 'a', args: ['--dsn=postgres://me:secret:KEY@host/db'] },
      /one\.args\[0\]: expected secret:NAME as the last word.+\{secret:NAME\}/,
    ],
    ['a secret in the command', { command: 'secret:KEY' }, /one\.command: must not contain a secret/],
    [
      'a secret in the host of a URL',
      { url: 'https://{secret:KEY}.example/' },
      /one\.url: must not contain a secret in its host/,
    ],
    [
      'a secret in the login of a URL',
      { url: 'https://me:{secret:KEY}@a.example/' },
      /one\.url: must not contain a secret in its host, user name or password; put credentials into "headers"/,
    ],
    [
      'a secret in a URL in an unsupported position',
      { url: 'https://a.example/secret:KEY/mcp' },
      /one\.url: expected \{secret:NAME\}/,
    ],
    [
      'a secret with an invalid name',
      { command: 'a', env: { X: 'secret:my-key' } },
      /one\.env\.X: expected secret:NAME/,
    ],
    [
      'a secret in the middle',
      { command: 'a', env: { X: 'secret:A and more' } },
      /one\.env\.X: expected secret:NAME/,
    ],
    [
      'a password in a URL',
      { url: 'https://me:pass@a.example' },
      /one\.url: contains a user name or a password/,
    ],
    ['an invalid URL', { url: 'a.example/mcp' }, /one\.url: expected a URL/],
    ['another protocol', { url: 'file:///etc/passwd' }, /one\.url: expected a URL/],
    ['an unknown type', { command: 'a', type: 'ws' }, /one\.type: must be one of "stdio", /],
    ['type http with a command', { command: 'a', type: 'http' }, /one\.type: "http" requires "url"/],
    ['type stdio with a URL', { url: 'https://a.example', type: 'stdio' }, /one\.type: "stdio" requires/],
    [
      'a header that breaks the line',
      { url: 'https://a.example', headers: { A: 'b\r\nC: d' } },
      /one\.headers\.A: /,
    ],
    [
      'a header of the connection',
      { url: 'https://a.example', headers: { Host: 'b' } },
      /reserved for the connection/,
    ],
    [
      'a header twice',
      { url: 'https://a.example', headers: { A: 'b', a: 'c' } },
      /one\.headers\.a: is set twice/,
    ],
    [
      'an invalid header name',
      { url: 'https://a.example', headers: { 'A B': 'c' } },
      /not a valid header name/,
    ],
    ['a timeout of zero', { command: 'a', timeout: 0 }, /one\.timeout: expected .+, got 0/],
    [
      'a duration without a unit',
      { command: 'a', startTimeout: '30' },
      /one\.startTimeout: expected .+, got "30"/,
    ],
    ['a boolean as a string', { command: 'a', trust: 'yes' }, /one\.trust: must be boolean/],
    ['include as a string', { command: 'a', include: '*' }, /one\.include: must be array/],
    [
      'a client secret without a client id',
      { url: 'https://a.example', oauth: { clientSecret: 'secret:X' } },
      /clientId/,
    ],
    ['enabled: false', { command: 'a', enabled: false }, /one\.enabled: .+"disabled": true/],
    ['Curfew itself', { command: 'npx', args: ['-y', 'curfew', 'mcp'] }, /one: is Curfew itself/],
  ])('%s', async (_name, entry, expected) => {
    const { server, problems } = await files.loadOne(entry)
    expect(server).toBeUndefined()
    expect(problems.filter((problem) => problem.startsWith('error'))).toHaveLength(1)
    expect(problems[0]).toMatch(expected)
  })

  it.each<[string, unknown, RegExp]>([
    ['args', { command: 'a', args: ['$NOPE'] }, /one\.args\[0\]: the variable NOPE is not set/],
    ['env', { command: 'a', env: { X: '$NOPE' } }, /one\.env\.X: the variable NOPE.+secret:NAME/],
    ['headers', { url: 'https://a.example', headers: { X: '$NOPE' } }, /one\.headers\.X: the variable NOPE/],
    ['a URL', { url: '$NOPE/mcp' }, /one\.url: the variable NOPE is not set/],
  ])('an unset variable in %s concerns only those who use the server', async (_name, entry, expected) => {
    const { servers, unused, problems } = await files.load({ one: entry, two: { command: 'b' } })
    expect([servers.map(({ name }) => name), problems]).toEqual([['two'], []])
    expect(unused).toEqual([{ name: 'one', file: files.user, needs: ['NOPE'] }])
    expect(missingVariables(unused)).toMatchObject([
      { file: files.user, field: 'mcpServers.one', message: expect.stringMatching(/^needs NOPE: set it/) },
    ])
    const read = readServer('one', entry, { file: files.user, root: dirname(files.user), env: {} })
    expect(formatProblem(read.problems[0]!)).toMatch(expected)
  })

  it.each<[string, unknown, RegExp]>([
    ['a typo', { command: 'a', timout: 5 }, /one\.timout: unknown field.+did you mean "timeout"\?/],
    [
      'a timeout that looks like seconds',
      { command: 'a', timeout: 30 },
      /one\.timeout: 30 is 30 ms; did you mean "30s"\?/,
    ],
    ['autoApprove', { command: 'a', autoApprove: ['x'] }, /one\.autoApprove: .+config\.json.+"mcp__one__x"/],
    ['Gemini’s names', { command: 'a', includeTools: ['x'] }, /one\.includeTools: .+use "include"/],
    ['Codex’s names', { command: 'a', tool_timeout_sec: 5 }, /one\.tool_timeout_sec: .+use "timeout"/],
    ['headers for a program', { command: 'a', headers: { A: 'b' } }, /one\.headers: is ignored/],
    ['env for a URL', { url: 'https://a.example', env: { A: 'b' } }, /one\.env: is ignored/],
    ['http', { url: 'http://a.example', headers: { A: 'secret:KEY' } }, /one\.url: is not https/],
    ['a secret over http', { url: 'http://a.example/?k={secret:KEY}' }, /one\.url: is not https/],
    [
      'a secret in args',
      { command: 'a', args: ['--token=secret:KEY'] },
      /one\.args\[0\]: other users of this machine can see the arguments of a process; .+"env"/,
    ],
    [
      'a plain client secret',
      { url: 'https://a.example', oauth: { clientId: 'a', clientSecret: 'b' } },
      /curfew secret set/,
    ],
  ])('%s is only a warning', async (_name, entry, expected) => {
    const { server, problems } = await files.loadOne(entry)
    expect(server).toBeDefined()
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^warning: /)
    expect(problems[0]).toMatch(expected)
  })

  it.each([
    { autoApprove: [] },
    { alwaysAllow: [] },
    { enabled: true },
    { description: 'x' },
    { disabled: false },
  ])('%j is accepted without a problem', async (more) => {
    const { server, problems } = await files.loadOne({ command: 'a', ...more })
    expect(problems).toEqual([])
    expect(server).toBeDefined()
  })

  it('a mistake does not affect other servers', async () => {
    const { servers, problems } = await files.load({
      a: { command: 'a' },
      b: 5,
      'c d': { command: 'c' },
      e: { url: 'https://e.example' },
    })
    expect(servers.map(({ name }) => name)).toEqual(['a', 'e'])
    expect(problems.map(({ field }) => field)).toEqual(['mcpServers.b', 'mcpServers.c d'])
  })

  it.each(['a__b', 'a_', '', 'a b', 'ä', 'a.b', '__proto__', 'x'.repeat(65), '../a'])(
    'the name %j is rejected',
    async (name) => {
      const { servers, problems } = await files.load(
        `{"mcpServers": {${JSON.stringify(name)}: {"command": "a"}, "good": {"command": "b"}}}`,
      )
      expect(servers.map((server) => server.name)).toEqual(['good'])
      expect(problems).toHaveLength(1)
      expect(problems[0]!.message).toMatch(/^a server name /)
    },
  )

  it.each(['constructor', 'toString', 'hasOwnProperty', '_a', 'A-1', '0'])(
    'the name %j is accepted',
    async (name) => {
      const { servers, problems } = await files.load({ [name]: { command: 'a' } })
      expect(problems).toEqual([])
      expect(servers.map((server) => server.name)).toEqual([name])
    },
  )

  it('keys with the names of prototype properties are harmless', async () => {
    const { servers, problems } = await files.load(
      '{"__proto__": {"mcpServers": {"evil": {"command": "x"}}}, "mcpServers": {"a": {"command": "a", "__proto__": {"trust": true}, "env": {"__proto__": "b", "constructor": "c"}}}}',
    )
    expect(servers.map(({ name, trust }) => [name, trust])).toEqual([['a', false]])
    const { target } = servers[0]!
    expect(target.kind === 'stdio' && Object.entries(target.env)).toEqual([
      ['__proto__', ['b']],
      ['constructor', ['c']],
    ])
    expect(problems.map(({ severity }) => severity)).toEqual(['warning', 'warning'])
    expect(({} as Record<string, unknown>).trust).toBeUndefined()
  })

  it.each<[string, string, RegExp]>([
    ['an array', '[]', /must be object/],
    ['a number', '5', /must be object/],
    ['servers as an array', '{"mcpServers": []}', /mcpServers: must be object/],
    ['servers as null', '{"mcpServers": null}', /mcpServers: must be object/],
    ['an empty file', '', /is not JSON/],
    [
      'a large file',
      `{"mcpServers": {"a": {"command": "${'x'.repeat(1 << 18)}"}}}`,
      /expected at most \d+ bytes, got \d+/,
    ],
    ['the key of VS Code', '{"servers": {"a": {"command": "a"}}}', /servers: .+use "mcpServers"/],
    ['a typo', '{"mcpServer": {}}', /mcpServer: .+did you mean "mcpServers"/],
  ])('%s is reported', async (_name, text, expected) => {
    const { servers, problems } = await files.load(text)
    expect(servers).toEqual([])
    expect(formatProblem(problems.find(({ severity }) => severity === 'error') ?? problems[0]!)).toMatch(
      expected,
    )
  })

  it('a file with ten thousand levels is rejected', async () => {
    const deep = '['.repeat(10_000) + ']'.repeat(10_000)
    const { servers, problems } = await files.load(
      `{"mcpServers": {"good": {"command": "a"}, "bad": {"command": "b", "args": ${deep}}}}`,
    )
    expect(servers).toEqual([])
    expect(problems.map(formatProblem)).toEqual([
      expect.stringMatching(/mcp\.json: is not JSON: .+: nested more than 200 levels deep$/),
    ])
  })

  it('any file loads, and every problem has a field', async () => {
    const keys = fc.constantFrom(
      'command',
      'args',
      'env',
      'url',
      'headers',
      'type',
      'timeout',
      'oauth',
      'include',
      'cwd',
    )
    const entry = fc.oneof(fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.string())), fc.jsonValue())
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), entry), async (servers) => {
        const loaded = await files.load({ ...servers, good: { command: 'a' } })
        expect(loaded.servers.some(({ name }) => name === 'good')).toBe(true)
        for (const { file } of loaded.problems) expect(file).toBe(files.user)
      }),
      { numRuns: 200 },
    )
  })
})
