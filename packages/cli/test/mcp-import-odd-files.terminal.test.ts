import { lstatSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { importFolders } from './import-support.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'

const folders = importFolders()
const windsurf = '.codeium/windsurf/mcp_config.json'

it.skipIf(process.platform === 'win32')(
  'a file that cannot be used is reported, and the others are read',
  async () => {
    const settings = process.platform === 'darwin' ? 'Library/Application Support' : '.config'
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [index, {}]))
    const files = {
      1: '{"servers": {"a": {"command": "x"',
      2: '{"servers": ["a"]}',
      3: `{"servers": ${'{"a":'.repeat(300)}1${'}'.repeat(300)}}`,
      4: { servers: many },
      5: { servers: { a: { command: 'a' } } },
    }
    for (const [id, content] of Object.entries(files))
      folders.write(`${settings}/Code/User/profiles/${id}/mcp.json`, content)
    mkdirSync(join(folders.home, settings, 'Code/User/mcp.json'))
    const { code, stderr } = await folders.import('vscode')
    expect(code).toBe(0)
    const warnings = stderr
      .split('\n')
      .map((line) => line.replace(/^warning: VS Code(?: \(profile (\d)\))?, .+?\.json/, '$1'))
    expect(warnings).toEqual([
      ': is not a file',
      expect.stringMatching(/^1: cannot be parsed: line 1, column \d+: expected/),
      '2: "servers": expected an object with servers',
      expect.stringMatching(/^3: cannot be parsed: .+: nested more than 200 levels deep$/),
      '4: "servers": expected at most 1000 servers, got 1001',
      '',
    ])
    expect(folders.userServers).toEqual({ a: { command: 'a' } })
  },
)

it('a server of the wrong type is reported with its field, and the others are imported', async () => {
  folders.write('.config/opencode/opencode.json', {
    mcp: {
      a: { type: 'local', command: ['a'] },
      b: { type: 'local', command: 'b', environment: 'x' },
      c: { type: 'local', command: [] },
      d: { type: 'local', command: [{ x: 1 }], timeout: { request: 'x' }, oauth: [] },
      e: 'x',
      f: { type: 'remote', url: 5, headers: [] },
    },
  })
  const { code, stdout } = await folders.import('opencode')
  expect(code).toBe(0)
  expect(Object.keys(folders.userServers)).toEqual(['a'])
  expect(stdout).toMatch(/! {2}b {2}env: must be object/)
  expect(stdout).toMatch(/! {2}c {2}requires "command"/)
  expect(stdout).toMatch(/! {2}d {2}command: must be string/)
  expect(stdout).toMatch(/! {2}e {2}is not an object/)
  expect(stdout).toMatch(/! {2}f {2}url: must be string/)
})

it('a byte order mark, Windows line endings, a duplicate key and a symbolic link', async () => {
  const text =
    '\uFEFF{\r\n  "mcpServers": {\r\n    "a": { "command": "old" },\r\n    "b": { "command": "b" }\r\n  }\r\n}\r\n'
  const real = folders.write('dotfiles/mcp_config.json', text)
  mkdirSync(join(folders.home, '.codeium/windsurf'), { recursive: true })
  const link = join(folders.home, windsurf)
  symlinkSync(real, link)
  const { stdout, stderr } = await folders.import('windsurf', '--apply')
  expect(stderr).toBe('')
  expect(stdout).toContain('changed ~/.codeium/windsurf/mcp_config.json')
  expect(lstatSync(link).isSymbolicLink()).toBe(true)
  const edited = readFileSync(real, 'utf8')
  expect(edited).toMatch(/^\uFEFF\{\r\n {2}"mcpServers": \{\r\n {4}"curfew": \{\r\n/)
  expect(edited).not.toMatch(/[^\r]\n|"command": "b"/)
})

it('a duplicate key is reported, and such a file is not edited', async () => {
  const text = '{"mcpServers": {"a": {"command": "old"}, "a": {"command": "new"}}, "x": 1, "x": 2}'
  const file = folders.write(windsurf, text)
  const { stdout, stderr } = await folders.import('windsurf', '--apply')
  expect(stderr).toBe(
    'warning: Windsurf, ~/.codeium/windsurf/mcp_config.json: line 1: duplicate key mcpServers.a; only the last one is used\n',
  )
  expect(folders.userServers).toEqual({ a: { command: 'new' } })
  expect(stdout).toContain('was not changed: its format cannot be edited safely\n')
  expect(readFileSync(file, 'utf8')).toBe(text)
})

it('an empty file has no servers', async () => {
  folders.write('.config/zed/settings.json', '\n')
  expect(await folders.import('zed')).toMatchObject({ code: 0, stderr: '' })
})

it.runIf(hasTerminal)('the list of servers fits the terminal', async () => {
  const names = ['browser', 'calendar', 'database', 'documents', 'filesystem', 'github', 'memory']
  folders.write(windsurf, { mcpServers: Object.fromEntries(names.map((name) => [name, { command: 'x' }])) })
  const { stdout } = await runInTerminal(['mcp', 'import'], folders.environment, folders.project, [])
  const [first = '', second = ''] = stdout.split(/\r?\n/)
  expect(first).toMatch(/^windsurf {2}~\/\.codeium\/windsurf\/mcp_config\.json {2}browser, .+,$/)
  expect(first.length).toBeLessThanOrEqual(80)
  expect(second).toMatch(/^ {4}(?:\w+, )*memory$/)
})
