import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { ownCommand } from '../src/mcp/import/own-command.ts'
import { importFolders } from './import-support.ts'

const folders = importFolders()
const packageFolder = realpathSync(fileURLToPath(new URL('..', import.meta.url)))
const curfew = expect.objectContaining({ args: expect.arrayContaining(['mcp', '--name-limit', '51']) })

it('--apply edits only the servers in the agent’s own file, and keeps a backup', async () => {
  const file = folders.write('.claude.json', {
    numStartups: 7,
    mcpServers: { a: { command: 'a' }, bad: { foo: 1 } },
    projects: { [folders.project]: { history: ['x'], mcpServers: { local: { command: 'l' } } } },
  })
  chmodSync(file, 0o600)
  const before = readFileSync(file, 'utf8')
  const { code, stdout } = await folders.import('claude', '--apply')
  expect(code).toBe(0)
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({
    numStartups: 7,
    mcpServers: { bad: { foo: 1 }, curfew },
    projects: { [folders.project]: { history: ['x'], mcpServers: {} } },
  })
  expect(readFileSync(`${file}.before-curfew`, 'utf8')).toBe(before)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(stdout).toContain(
    'changed ~/.claude.json; restart Claude Code\nbackup: ~/.claude.json.before-curfew\n',
  )
  expect(stdout).not.toContain('by hand')
})

it('--apply keeps comments', async () => {
  const file = folders.write(
    '.gemini/settings.json',
    `{
  // my theme
  "theme": "dark", /* "mcpServers": {} */
  "mcpServers": {
    // about a
    "a": { "command": "a" },
    "b": { "command": "b" }, // last
  },
}
`,
  )
  await folders.import('gemini', '--apply')
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('// my theme')
  expect(text).toContain('/* "mcpServers": {} */')
  expect(text).toContain('"curfew": {')
  expect(text).not.toMatch(/"command": "[ab]"/)
  expect((await folders.import('gemini')).stdout).toContain('is Curfew itself')
})

it('--apply edits TOML, and keeps other tables and comments', async () => {
  const file = folders.write(
    '.codex/config.toml',
    `# mine
model = "x"

[mcp_servers.a]
command = "a"
args = [
  "[not a table]",
]
[mcp_servers.a.env]
KEY = "v"

[mcp_servers."b c"]
command = "b"

[profiles.fast]
model = "y" # keep
`,
  )
  const { stdout } = await folders.import('codex', '--apply')
  expect(stdout).toContain('changed ~/.codex/config.toml')
  const text = readFileSync(file, 'utf8')
  expect(text).toMatch(
    /^# mine\nmodel = "x"\n\n\[profiles\.fast\]\nmodel = "y" # keep\n\n\[mcp_servers\.curfew\]\ncommand = "/,
  )
  expect(text).not.toMatch(/not a table|"b c"/)
})

it.each([
  ['TOML in another notation', '.codex/config.toml', 'mcp_servers.a.command = "a"\n', 'codex'],
  [
    'a file with another server named curfew',
    '.gemini/settings.json',
    '{"mcpServers":{"a":{"command":"a"},"curfew":{"foo":1}}}',
    'gemini',
  ],
])('--apply does not edit %s, and prints what to do by hand', async (_name, path, text, agent) => {
  const file = folders.write(path, text)
  const { code, stdout } = await folders.import(agent, '--apply')
  expect(code).toBe(0)
  expect(stdout).toMatch(/was not changed: .+\n\nTo change by hand:\n/)
  expect(readFileSync(file, 'utf8')).toBe(text)
  expect(existsSync(`${file}.before-curfew`)).toBe(false)
})

it('--apply does not edit a file of the repository', async () => {
  const file = folders.write('./.cursor/mcp.json', { mcpServers: { a: { command: 'a' } } })
  const before = readFileSync(file, 'utf8')
  expect((await folders.import('cursor', '--apply')).stdout).toContain(
    'was not changed: it belongs to the repository',
  )
  expect(readFileSync(file, 'utf8')).toBe(before)
})

it('--apply with --dry-run changes nothing', async () => {
  const file = folders.write('.cursor/mcp.json', { mcpServers: { a: { command: 'a' } } })
  const before = readFileSync(file, 'utf8')
  await folders.import('cursor', '--apply', '--dry-run')
  expect(readFileSync(file, 'utf8')).toBe(before)
})

it('under npx, the command for the agent does not depend on the npx cache', () => {
  const [, script] = process.argv
  const cached = join(folders.home, '.npm/_npx/5b2d/node_modules/curfew/bin/curfew.cjs')
  mkdirSync(join(cached, '..'), { recursive: true })
  cpSync(join(packageFolder, 'bin/curfew.cjs'), cached)
  symlinkSync(cached, join(folders.home, 'curfew'))
  try {
    process.argv[1] = join(folders.home, 'curfew')
    expect(ownCommand()).toEqual({ command: 'npx', args: ['-y', 'curfew', 'mcp'] })
  } finally {
    process.argv[1] = script!
  }
})
