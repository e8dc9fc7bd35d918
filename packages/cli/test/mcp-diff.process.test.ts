import { describe, expect, it } from 'vitest'
import { importFolders } from './import-support.ts'
import type { Ended } from './run-curfew.ts'

const folders = importFolders()
const diff = (...args: string[]): Promise<Ended> => folders.run('mcp', 'diff', ...args)
const ours = (servers: object): string => folders.write('.config/curfew/mcp.json', { mcpServers: servers })
const cursor = (servers: object): string => folders.write('.cursor/mcp.json', { mcpServers: servers })
const curfew = { command: 'curfew', args: ['mcp'] }

it('lists what is the same, different, and only on one side, and what to run next', async () => {
  ours({
    same: { command: 'npx', args: ['-y', 'same'] },
    other: { url: 'https://a.example/v1', headers: { 'X-Key': 'secret:K' } },
    mine: { command: 'mine' },
    off: { command: 'off', disabled: true },
  })
  cursor({
    same: { type: 'stdio', command: 'npx', args: ['--yes', 'same'] },
    other: { url: 'https://a.example/v2?key=canary-0123456789', headers: { 'X-Key': 'canary-0123456789' } },
    theirs: { command: 'theirs', args: ['--token', 'canary-0123456789'] },
    bad: { foo: 1 },
  })
  const { code, stdout, stderr } = await diff('cursor')
  expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
  expect(stdout).toBe(`Cursor, ~/.cursor/mcp.json
  =  same    the same
  ~  other   differs: url
       Cursor  https://a.example/v2?…
       Curfew  https://a.example/v1
  +  theirs  not in Curfew: theirs --token …
  !  bad     cannot be imported: requires "command" (a program to start) or "url" (a remote server)
Only in Curfew
  -  mine  mine

5 servers: 1 the same, 1 different, 1 only in the agent, 1 that cannot be imported, 1 only in Curfew; Cursor does not use Curfew

Next:
  # Import theirs
  curfew mcp import cursor
  # Make the agent use Curfew for same, theirs
  curfew mcp import cursor --apply
  # Replace other in Curfew; --rename keeps both
  curfew mcp import cursor --force
`)
})

it('shows where two long commands differ', async () => {
  const server = (folder: string): object => ({
    command: `/opt/${'deep/'.repeat(30)}server.js`,
    args: [folder],
  })
  ours({ fs: server('/srv/a') })
  cursor({ fs: server('/srv/b') })
  expect((await diff('cursor')).stdout).toContain(`
       Cursor  …eep/deep/server.js /srv/b
       Curfew  …eep/deep/server.js /srv/a
`)
})

describe('the exit code', () => {
  it('is 0 if the agent only has Curfew', async () => {
    ours({ a: { command: 'a' } })
    cursor({ curfew })
    const { code, stdout } = await diff('cursor')
    expect(code).toBe(0)
    expect(stdout).toBe('Only in Curfew, which the agent uses\n  -  a  a\n\n1 server: 1 only in Curfew\n')
  })

  it('is 1 if the agent starts a server itself although it uses Curfew', async () => {
    ours({ a: { command: 'a' }, b: { command: 'b' } })
    cursor({ curfew, a: { command: 'a' }, b: { command: 'b', disabled: true } })
    const { code, stdout } = await diff('cursor')
    expect(code).toBe(1)
    expect(stdout).toContain('\nCursor uses Curfew, but also starts these itself: a\n')
    expect(stdout).toContain('  ~  b  differs: disabled\n')
    expect(stdout).toContain('# Make the agent use Curfew for a\n  curfew mcp import cursor --apply\n')
  })

  it('ignores Curfew if it is disabled in the agent', async () => {
    ours({ a: { command: 'a' } })
    cursor({ curfew: { ...curfew, disabled: true }, a: { command: 'a' } })
    const { code, stdout } = await diff('cursor')
    expect(code).toBe(0)
    expect(stdout).toContain('1 server: 1 the same; Cursor does not use Curfew\n')
  })

  it('is 0 without any servers, and 2 without an agent', async () => {
    expect(await diff('cursor')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^no MCP servers/) })
    expect(await diff()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('requires AGENT or --file'),
    })
  })

  it('is 2 if a file cannot be read; the rest is compared', async () => {
    folders.write('.config/curfew/mcp.json', '{ broken')
    cursor({ a: { command: 'a' } })
    const { code, stdout, stderr } = await diff('cursor')
    expect(code).toBe(2)
    expect(stdout).toContain('  +  a  not in Curfew: a\n')
    expect(stderr).toMatch(/^warning: ~\/\.config\/curfew\/mcp\.json: is not JSON: line 1/)
  })
})

it('--json, with --file: fields and targets, but no keys', async () => {
  const file = folders.write('x/opencode.json', {
    mcp: {
      a: {
        type: 'local',
        command: ['a', '--key', 'canary-0123456789'],
        environment: { API_KEY: 'canary-0123456789' },
      },
      b: { type: 'local', command: ['b'] },
    },
  })
  ours({
    a: { command: 'a', args: ['--key', 'secret:K'], env: { API_KEY: 'secret:K', LOG: '1' } },
    c: { command: 'b' },
  })
  const { code, stdout } = await diff('--file', file, '--json')
  expect(code).toBe(1)
  expect(stdout).not.toContain('canary')
  expect(JSON.parse(stdout)).toMatchObject({
    equal: false,
    usesCurfew: false,
    problems: [],
    servers: [
      {
        name: 'a',
        state: 'different',
        fields: ['env.LOG'],
        startedTwice: false,
        agent: { name: 'opencode', file, target: 'a --key …' },
        curfew: { name: 'a', target: 'a --key secret:K' },
      },
      // Under another name, but without keys that could tell two servers apart.
      { name: 'b', state: 'same', curfew: { name: 'c' } },
    ],
  })
})

it('compares a project’s servers with the project’s own, and skips those that are not approved', async () => {
  folders.write('./.mcp.json', { mcpServers: { a: { command: 'a' }, b: { command: 'b' } } })
  folders.write('.claude.json', { projects: { [folders.project]: { enabledMcpjsonServers: ['a'] } } })
  ours({ a: { command: 'another' } })
  folders.write('./.curfew/mcp.json', { mcpServers: { a: { command: 'a' } } })
  const { stdout } = await diff('claude')
  expect(stdout).toContain('  =  a  the same\n  ?  b  not approved, so not compared\n')
  expect(stdout).toContain("this project's servers in Curfew are not used until you run: curfew trust\n")
  expect(stdout).toContain('  -  a  another\n')
  expect(stdout).toContain('  # Remove from .mcp.json: a\n')
})

it('says nothing about an agent whose file cannot be read', async () => {
  ours({ a: { command: 'a' } })
  folders.write('.cursor/mcp.json', { mcpServers: 'x' })
  expect(await diff('cursor')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'warning: ~/.cursor/mcp.json: "mcpServers": expected an object with servers\n',
  })
  const { stdout } = await diff('cursor', '--json')
  expect(JSON.parse(stdout)).toMatchObject({ equal: false, usesCurfew: null, problems: [{}] })
})
