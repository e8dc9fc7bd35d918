import type { AskedProcess } from '@curfew/journal'
import { expect, test } from 'vitest'
import { type GatewayStatus, readGatewayStatus, type ServerReport } from './gateway-status.ts'
import { type KnownServer, showStatus } from './show-status.ts'

const now = 1_000_000
const options = { columns: 60, now, problems: [] }

function server(changes: Partial<ServerReport>): ServerReport {
  return {
    name: 'github',
    kind: 'stdio',
    file: '/home/me/mcp.json',
    state: 'running',
    since: now - 125_000,
    pid: 71,
    instances: 1,
    calls: 3,
    tools: 26,
    changed: [],
    added: [],
    updated: [],
    lastError: null,
    ...changes,
  }
}

function gateway(answer: Partial<GatewayStatus> | null): AskedProcess<GatewayStatus> {
  const status = {
    run: 'm4tq',
    transport: 'stdio' as const,
    url: null,
    profile: null,
    servers: [],
    heldBack: [],
    ...answer,
  }
  return {
    run: 'm4tq',
    program: 'mcp',
    version: '1',
    pid: 70,
    project: '/src/shop',
    startedAt: now - 65_000,
    contact: answer === null ? 'silent' : 'connected',
    answer: answer === null ? null : status,
  }
}

const known = (changes: Partial<KnownServer> = {}): KnownServer => ({
  name: 'github',
  file: '/home/me/mcp.json',
  isDisabled: false,
  needs: [],
  tools: 26,
  changed: [],
  added: [],
  lastEvent: null,
  ...changes,
})

test('lists each gateway with its servers', () => {
  const message =
    'the MCP server db could not be started: it exited with code 1; stderr: no database\u001b[2K at localhost'
  const servers = [
    server({}),
    server({
      name: 'db',
      state: 'failed',
      pid: null,
      instances: 0,
      tools: null,
      calls: 0,
      lastError: { message, at: now },
    }),
    server({ name: 'web', instances: 2, changed: ['search'], added: ['a', 'b'], updated: ['fetch'] }),
  ]
  const all = [gateway({ servers, profile: 'work' }), gateway(null)]
  const here = [known(), known({ name: 'docs' }), known({ name: 'off', isDisabled: true })]
  expect(showStatus(all, here, options)).toBe(
    [
      'stdio in /src/shop (pid 70, up 1 min, profile work)',
      '  name    state    for    pid          tools  calls',
      '  github  running  2 min  71           26     3',
      '  db      failed   2 min  -            ?      0',
      '    could not be started: it exited with code 1; stderr: no',
      '    database at localhost',
      '  web     running  2 min  2 processes  26     3',
      '    2 new tools and 1 changed definition wait for approval:',
      '    curfew mcp approve web',
      '    new or changed, and used: fetch',
      '',
      'gateway in /src/shop (pid 70, up 1 min)',
      '  does not respond',
      '',
      '1 server in no gateway: off (disabled)',
      '',
    ].join('\n'),
  )
})

test('a message that is too long ends with an ellipsis', () => {
  const text = `was lost: ${'😀 '.repeat(300)}`
  const wide = { ...options, columns: undefined }
  const failed = server({ state: 'failed', lastError: { message: text, at: now } })
  for (const shown of [
    showStatus([gateway({ servers: [failed] })], [], wide),
    showStatus([], [known({ lastEvent: { at: now, text } })], wide),
  ]) {
    const note = shown.split('\n').find((line) => line.includes('was lost'))
    expect(note).toMatch(/ ?(?:😀 ?)+…$/u)
    expect(note!.length).toBeLessThan(400)
  }
})

test('without a gateway, lists what is known about the servers', () => {
  const lastEvent = { at: now - 3_000, text: 'could not be started: no network' }
  const shown = showStatus(
    [],
    [
      known({ lastEvent }),
      known({ name: 'off', isDisabled: true, tools: null }),
      known({ name: 'gh', needs: ['GH_TOKEN'], tools: null }),
    ],
    options,
  )
  expect(shown.split('\n').slice(3)).toEqual([
    '  name    state        tools  file',
    '  github  not running  26     /home/me/mcp.json',
    '    3 s ago: could not be started: no network',
    '  off     disabled     ?      /home/me/mcp.json',
    '  gh      incomplete   ?      /home/me/mcp.json',
    '    needs GH_TOKEN: set it, or write secret:GH_TOKEN in',
    '    mcp.json and run: curfew secret set GH_TOKEN',
    '',
  ])
  expect(showStatus([], [], options)).toContain('no MCP servers yet')
})

test.each([null, 5, {}, { servers: 5 }, { servers: [null, {}, { name: 'a', state: 'odd' }] }])(
  'a process that answers %j does no harm',
  (value) => {
    const read = readGatewayStatus(value)
    expect(read === null || read.servers.length === 0).toBe(true)
  },
)

test('shows what of the project is held back, and what to run', () => {
  const held = {
    server: 'github',
    file: '/src/shop/.curfew/mcp.json',
    reason: 'the MCP server github has changed (args), and the change is not used yet',
    command: 'curfew mcp approve github',
  }
  const wide = { ...options, columns: undefined }
  expect(showStatus([gateway({ heldBack: [held] })], [], wide)).toContain(
    '/src/shop/.curfew/mcp.json: the MCP server github has changed (args), and the change is not used yet; review it with: curfew mcp approve github',
  )
})
