import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compileSchema } from '@curfew/core/internal'
import { fillReference, type HttpTarget, loadServers, readServer, secretNames } from '@curfew/mcp/config'
import { describe, expect, it } from 'vitest'
import { env, ServerFiles } from './helpers/server-files.ts'

const files = new ServerFiles()

describe('a valid file', () => {
  it('loads commands with defaults', async () => {
    const { server, problems } = await files.loadOne({ command: 'node', args: ['a-server'] })
    expect(problems).toEqual([])
    expect(server).toEqual({
      name: 'one',
      file: files.user,
      root: files.roots.user,
      target: { kind: 'stdio', command: 'node', args: ['a-server'], env: {}, cwd: undefined },
      timeoutMs: undefined,
      idleTimeoutMs: undefined,
      startTimeoutMs: 30_000,
      trust: false,
      eager: false,
      include: null,
      exclude: [],
      strict: false,
      protocol: null,
      idleStopMs: 600_000,
      instances: 'shared',
      pin: 'strict',
      loops: true,
    })
  })

  it('loads the settings of a server', async () => {
    const settings = {
      strict: true,
      protocol: '2025-11-25',
      instances: 'per-client',
      pin: 'notify',
      loops: false,
    }
    const { server, problems } = await files.loadOne({ command: 'node', idleStop: '90s', ...settings })
    expect(problems).toEqual([])
    expect(server).toMatchObject({ idleStopMs: 90_000, ...settings })
    expect((await files.loadOne({ command: 'node', idleStop: false })).server?.idleStopMs).toBeNull()
    // An eager server is stopped only on request.
    expect((await files.loadOne({ command: 'node', eager: true })).server?.idleStopMs).toBeNull()
    const eager = await files.loadOne({ command: 'node', eager: true, idleStop: '5m' })
    expect(eager.server?.idleStopMs).toBe(300_000)
    const wrong = await files.loadOne({ command: 'node', idleStop: true })
    expect(wrong.problems).toEqual([
      'error: mcpServers.one.idleStop: expected a duration such as "10m", or false',
    ])
  })

  it("keeps variables of the server's own env in its arguments", async () => {
    const { server, problems } = await files.loadOne({
      command: 'npx',
      args: [
        'mcp-remote',
        'https://example.com',
        '--header',
        'Authorization:${OWN_AUTH}',
        '$OWN_AUTH',
        '$$OWN_AUTH',
      ],
      env: { OWN_AUTH: 'Bearer secret:KEY' },
    })
    expect(problems).toEqual([])
    expect(server?.target).toMatchObject({
      args: [
        'mcp-remote',
        'https://example.com',
        '--header',
        'Authorization:${OWN_AUTH}',
        '$OWN_AUTH',
        '$OWN_AUTH',
      ],
    })
  })

  it.each([
    [{ command: 'npx', args: ['-y', 'a-server'] }, 120_000],
    [{ command: 'docker', args: ['run', '-i', 'a-server'] }, 120_000],
    [{ command: 'npx', args: ['-y', 'a-server'], startTimeout: '5s' }, 5_000],
    [{ url: 'https://example.com/mcp' }, 30_000],
  ])('gives a server that is downloaded first more time to start: %j', async (entry, expected) => {
    expect((await files.loadOne(entry)).server).toMatchObject({ startTimeoutMs: expected })
  })

  it('loads remote servers with every setting', async () => {
    const { server, problems } = await files.loadOne({
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer secret:KEY', 'X-Plain': 7 },
      oauth: { clientId: 'id', clientSecret: 'secret:CLIENT', scopes: ['read'] },
      timeout: '2m',
      idleTimeout: 15_000,
      startTimeout: '5s',
      trust: true,
      eager: true,
      include: ['get_*'],
      exclude: ['get_all'],
      description: 'An example.',
      '// note': 'a comment',
    })
    expect(problems).toEqual([])
    expect(server).toMatchObject({
      target: {
        kind: 'http',
        url: 'https://example.com/mcp',
        headers: { Authorization: ['Bearer ', { secret: 'KEY' }], 'X-Plain': ['7'] },
        oauth: { clientId: 'id', clientSecret: [{ secret: 'CLIENT' }], scopes: ['read'] },
      },
      timeoutMs: 120_000,
      idleTimeoutMs: 15_000,
      startTimeoutMs: 5_000,
      trust: true,
      eager: true,
      include: ['get_*'],
      exclude: ['get_all'],
    })
  })

  it.each([
    [{ command: 'a', type: 'stdio' }, 'stdio'],
    [{ url: 'http://localhost:1/', type: 'http' }, 'http'],
    [{ url: 'http://localhost:1/', type: 'streamable-http' }, 'http'],
    [{ url: 'http://localhost:1/', type: 'streamableHttp' }, 'http'],
    [{ url: 'http://localhost:1/sse', type: 'sse' }, 'sse'],
  ])('%j uses %s', async (entry, kind) => {
    const { server, problems } = await files.loadOne(entry)
    expect({ kind: server?.target.kind, problems }).toEqual({ kind, problems: [] })
  })

  it('variables are expanded everywhere, once', async () => {
    const { server, problems } = await files.loadOne({
      command: '$HOME/bin/server',
      args: ['--port=${PORT:-80}', '$$HOME'],
      env: { A: '$TOKEN', B: '$NAMED', C: 'x secret:KEY' },
      cwd: '~/code/$TOKEN',
    })
    expect(problems).toEqual([])
    expect(server!.target).toEqual({
      kind: 'stdio',
      command: '/home/me/bin/server',
      args: ['--port=80', '$HOME'],
      env: { A: ['from-env'], B: ['secret:KEY'], C: ['x ', { secret: 'KEY' }] },
      cwd: '/home/me/code/from-env',
    })
  })

  it.each([
    ['secret:KEY', [{ secret: 'KEY' }]],
    ['--key=secret:KEY', ['--key=', { secret: 'KEY' }]],
    ['Authorization: Bearer secret:KEY', ['Authorization: Bearer ', { secret: 'KEY' }]],
    [
      'postgres://me:{secret:A}@$HOST/{secret:B}',
      ['postgres://me:', { secret: 'A' }, '@db/', { secret: 'B' }],
    ],
    ['$NAMED', 'secret:KEY'],
  ])('secrets are found in the argument %s, but not in the values of variables', async (arg, expected) => {
    const env = { HOME: '/home/me', HOST: 'db', NAMED: 'secret:KEY' }
    const place = { file: files.user, root: files.roots.user, env }
    const { server } = readServer('a', { command: 'x', args: [arg] }, place)
    expect(server).toMatchObject({ target: { args: [expected] } })
  })

  it.each([
    ['https://a.example/mcp?key={secret:KEY}&b=1', 'https://a.example/mcp?key={secret:KEY}&b=1'],
    ['https://a.example/mcp?key=secret:KEY&b=1', 'https://a.example/mcp?key={secret:KEY}&b=1'],
    ['https://a.example/s/{secret:KEY}/mcp', 'https://a.example/s/%7Bsecret:KEY%7D/mcp'],
  ])('a secret in the URL %s is filled in when it is used', async (written, url) => {
    const { server, problems } = await files.loadOne({ url: written })
    expect(problems).toEqual([])
    const { address, ...target } = server!.target as HttpTarget
    expect(target).toMatchObject({ url })
    expect(secretNames([address!])).toEqual(['KEY'])
    expect(await fillReference(address!, async () => 'v')).toBe(written.replace(/\{?secret:KEY\}?/, 'v'))
  })

  it('a reference is filled in when it is used', async () => {
    const read = async (name: string): Promise<string> => `<${name}>`
    expect(await fillReference(['Bearer ', { secret: 'KEY' }], read)).toBe('Bearer <KEY>')
    expect(await fillReference([], read)).toBe('')
    expect(secretNames([['a', { secret: 'B' }], [{ secret: 'A' }], [{ secret: 'B' }]])).toEqual(['B', 'A'])
  })

  it("a project's relative path is resolved from the project", async () => {
    const { servers } = await files.load(
      { a: { command: 'x', cwd: 'sub' } },
      { b: { command: 'x', cwd: './sub' } },
    )
    expect(servers.map(({ target }) => target.kind === 'stdio' && target.cwd)).toEqual([
      join(files.roots.user, 'sub'),
      join(files.folder, 'project/sub'),
    ])
  })
})

describe('two files', () => {
  it("the project's server overrides the user's", async () => {
    const { servers, problems } = await files.load(
      { a: { command: 'user-a' }, b: { command: 'user-b' } },
      { b: { command: 'project-b' }, c: { command: 'project-c' } },
    )
    expect(problems).toEqual([])
    expect(servers.map(({ name, file }) => [name, file])).toEqual([
      ['a', files.user],
      ['b', files.project],
      ['c', files.project],
    ])
  })

  it("a project can disable a user's server, and an invalid entry hides it too", async () => {
    const { servers, unused, problems } = await files.load(
      { a: { command: 'user-a' }, b: { command: 'user-b' }, c: { disabled: true } },
      { a: { disabled: true }, b: { command: 7 } },
    )
    expect(servers).toEqual([])
    expect(unused).toEqual([
      { name: 'a', file: files.project, needs: [] },
      { name: 'c', file: files.user, needs: [] },
    ])
    expect(problems).toMatchObject([{ file: files.project, field: 'mcpServers.b.command' }])
  })

  it.each([
    ['your approval.default is "deny"', false],
    [null, true],
  ])('if what a project allows is ignored because of %j, its trust is %s', async (reason, trust) => {
    files.roots = { ...files.roots, projectAllowIgnored: reason }
    const entry = { command: 'x', trust: true }
    const { servers, problems } = await files.load({ mine: entry }, { theirs: entry })
    expect(servers.map((server) => [server.name, server.trust])).toEqual([
      ['mine', true],
      ['theirs', trust],
    ])
    expect(problems.map(({ field, message }) => [field, message])).toEqual(
      trust ? [] : [['mcpServers.theirs.trust', `${reason}, so it is ignored`]],
    )
  })

  it('a project that is not trusted is ignored', async () => {
    const { roots } = files
    files.roots = { ...roots, project: { ...roots.project!, trusted: false } }
    const { servers, problems } = await files.load(
      { a: { command: 'user-a' } },
      { a: 'nonsense', b: { command: 'b' } },
    )
    expect(problems).toEqual([])
    expect(servers.map(({ file }) => file)).toEqual([files.user])
  })

  it('a file that cannot be read does not hide the other', async () => {
    writeFileSync(files.project, '{ "mcpServers": { "b": { "command": "b" } } }')
    const { servers, problems } = await files.load('{ "mcpServers": }')
    expect(servers.map(({ name }) => name)).toEqual(['b'])
    expect(problems).toMatchObject([{ severity: 'error', file: files.user, field: null }])
  })

  it('a missing file is not a problem', async () => {
    expect(await loadServers(files.roots, env)).toEqual({
      servers: [],
      unused: [],
      problems: [],
    })
  })
})

it('the published schema is a valid JSON Schema', () => {
  const file = new URL('../schemas/mcp.schema.json', import.meta.url)
  const { jsonSchema } = compileSchema(JSON.parse(readFileSync(file, 'utf8')), 'mcp.json')
  expect(jsonSchema.properties).toMatchObject({ mcpServers: { type: 'object' } })
})
