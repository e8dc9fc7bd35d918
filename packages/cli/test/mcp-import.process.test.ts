import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Ended, runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

const bin = realpathSync(fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url)))
let home: string
let project: string

temporaryFolders((folders) => {
  home = folders.home
  project = folders.project
})

const environment = { XDG_CONFIG_HOME: '', CURFEW_TRUST: '', CODEX_HOME: '', CLAUDE_CONFIG_DIR: '' }
const importServers = (...args: string[]): Promise<Ended> =>
  runCurfew(['mcp', 'import', ...args], { HOME: home, ...environment }, project)

function write(file: string, content: unknown): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const read = (file: string): Record<string, unknown> =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).mcpServers : {}
const userServers = (): Record<string, unknown> => read(join(home, '.config/curfew/mcp.json'))
const projectServers = (): Record<string, unknown> => read(join(project, '.curfew/mcp.json'))

describe('Claude', () => {
  it('imports from Claude Code: user, folder and repository', async () => {
    const file = write(join(home, '.claude.json'), {
      history: ['x'],
      mcpServers: {
        github: { type: 'stdio', command: 'npx', args: ['a$b', '${HOME}'], env: {} },
        curfew: { command: 'curfew', args: ['mcp'] },
      },
      projects: {
        [project]: { mcpServers: { local: { command: 'local' } }, enabledMcpjsonServers: ['shared'] },
        '/elsewhere': { mcpServers: { other: { command: 'other' } } },
      },
    })
    write(join(project, '.mcp.json'), {
      mcpServers: { shared: { type: 'http', url: 'https://a.example/mcp' } },
    })
    const before = readFileSync(file, 'utf8')
    const { code, stdout, stderr } = await importServers('claude')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(userServers()).toEqual({
      github: { type: 'stdio', command: 'npx', args: ['a$$b', '${HOME}'] },
    })
    expect(projectServers()).toEqual({
      local: { command: 'local' },
      shared: { type: 'http', url: 'https://a.example/mcp' },
    })
    expect(stdout).toMatch(/^ {2}- {2}curfew +is Curfew itself$/m)
    expect(stdout).toContain('- in ~/.claude.json, "mcpServers": remove github\n')
    expect(stdout).toContain('- in .mcp.json, "mcpServers": remove shared\n- curfew is already configured\n')
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('imports nothing twice, and replaces another server of the same name only with --force', async () => {
    const file = join(home, '.claude.json')
    write(file, { mcpServers: { a: { command: 'one' } } })
    await importServers('claude')
    expect((await importServers('claude')).stdout).toMatch(
      /= {2}a {2}is already in .+\n\nthere was nothing to import\n/,
    )
    write(file, { mcpServers: { a: { command: 'two' } } })
    expect((await importServers('claude')).stdout).toMatch(
      /has another a; --rename keeps both, --force replaces it/,
    )
    expect(userServers()).toEqual({ a: { command: 'one' } })
    await importServers('claude', '--force')
    expect(userServers()).toEqual({ a: { command: 'two' } })
  })
})

it('Codex: converts seconds, forwarded variables and bearer tokens, and prints TOML', async () => {
  write(
    join(home, '.codex/config.toml'),
    `model = "x"
[mcp_servers.docs]
command = "npx"
args = ["-y", "docs"]
env = { PRICE = "$5" }
env_vars = ["LANG"]
startup_timeout_sec = 20
tool_timeout_sec = 0.5
enabled_tools = ["search"]
disabled_tools = ["drop"]
[mcp_servers.remote]
url = "https://a.example/mcp"
bearer_token_env_var = "A_TOKEN"
http_headers = { "X-A" = "b" }
env_http_headers = { "X-C" = "D" }
enabled = false
`,
  )
  const { stdout } = await importServers('codex')
  expect(userServers()).toEqual({
    docs: {
      command: 'npx',
      args: ['-y', 'docs'],
      env: { PRICE: '$$5', LANG: '${LANG:-}' },
      include: ['search'],
      exclude: ['drop'],
      startTimeout: '20s',
      timeout: '500ms',
    },
    remote: {
      url: 'https://a.example/mcp',
      headers: { 'X-A': 'b', 'X-C': '${D:-}', Authorization: 'Bearer secret:A_TOKEN' },
      disabled: true,
    },
  })
  expect(stdout).toMatch(
    /remove docs, remote\n.+add\n\n {4}\[mcp_servers\.curfew\]\n {4}command = ".+"\n {4}args = \[.*"mcp", "--name-limit", "51"\]\n {4}tool_timeout_sec = 3600\n/,
  )
})

it('Gemini: accepts comments, and converts milliseconds, httpUrl and other names', async () => {
  write(
    join(home, '.gemini/settings.json'),
    `{ // "mcpServers": {
      "theme": "http://x // y",
      "mcpServers": {
        "a": { "command": "x", "timeout": 30000, "trust": true, "includeTools": ["t"], "excludeTools": ["u"], },
        "b": { "httpUrl": "http://localhost:1/mcp", "timeout": 5500 }, /* older: */
        "c": { "url": "http://localhost:1/sse" },
      },
    }`,
  )
  const { code, stdout } = await importServers('gemini')
  expect(code).toBe(0)
  expect(stdout).toMatch(/"args": \[.*"mcp", "--name-limit", "51"\], "timeout": 3600000 \}\n$/)
  expect(userServers()).toEqual({
    a: { command: 'x', include: ['t'], exclude: ['u'], timeout: '30s' },
    b: { type: 'http', url: 'http://localhost:1/mcp', timeout: '5500ms' },
    c: { url: 'http://localhost:1/sse' },
  })
})

it('Cursor: converts its variables, and reports what cannot be imported', async () => {
  write(join(project, '.cursor/mcp.json'), {
    mcpServers: {
      a: {
        command: '${workspaceFolder}/x',
        args: ['${env:HOME}', '${userHome}'],
        envFile: '.env',
        autoApprove: [],
      },
      'b c': { url: 'https://a.example/mcp', color: 'red' },
      bad: { foo: 1 },
      worse: 5,
      __proto: [],
    },
  })
  const { code, stdout } = await importServers('cursor')
  expect(code).toBe(0)
  expect(projectServers()).toEqual({
    a: { command: `${project}/x`, args: ['${HOME}', '${HOME}'] },
    'b-c': { url: 'https://a.example/mcp' },
  })
  expect(stdout).toMatch(/\+ {2}b c as b-c +https:\/\/a\.example\/mcp\n/)
  expect(stdout).toMatch(/! {2}bad +requires "command"/)
  expect(stdout).toMatch(/! {2}worse +is not an object/)
  expect(stdout).toContain('a: "envFile" is not supported')
  expect(stdout).toContain('b-c: unknown keys were not imported: "color"')
})

it('reports which values are plain-text keys, without printing them', async () => {
  write(join(home, '.cursor/mcp.json'), {
    mcpServers: {
      a: {
        command: 'x',
        args: ['--api-key', 'canary-0123456789', '--token=canary-0123456789'],
        env: { API_KEY: 'canary-0123456789' },
      },
      b: { url: 'https://a.example/mcp?key=canary-0123456789', headers: { 'X-Key': 'canary-0123456789' } },
    },
  })
  for (const args of [['cursor', '--dry-run'], ['cursor']]) {
    const { stdout, stderr } = await importServers(...args)
    expect(stdout + stderr).not.toContain('canary')
    for (const field of ['env.API_KEY', 'args[1]', 'headers.X-Key', 'url']) expect(stdout).toContain(field)
    expect(stdout).toContain('curfew secret set API_KEY --for mcp__a')
    expect(stdout).toContain('curfew secret set B_X_KEY --for a.example')
  }
  expect(JSON.stringify(userServers())).toContain('canary')
})

it('--dry-run writes nothing, not even trust', async () => {
  write(join(project, '.cursor/mcp.json'), { mcpServers: { a: { command: 'x' } } })
  const { stdout } = await importServers('cursor', '--dry-run')
  expect(stdout).toContain('nothing was written; without --dry-run, 1 server would be imported\n')
  expect(existsSync(join(project, '.curfew')) || existsSync(join(home, '.config'))).toBe(false)
})

it('lists all servers without AGENT, also from a subfolder of the project', async () => {
  expect((await importServers()).stdout).toMatch(/^no MCP servers were found/)
  write(join(home, '.claude.json'), {
    mcpServers: { a: { command: 'x' }, '\u001b[31mred': { command: 'x' } },
  })
  write(join(project, '.cursor/mcp.json'), { mcpServers: { b: { command: 'x' } } })
  write(join(home, '.gemini/settings.json'), '{ broken')
  mkdirSync(join(project, 'below'))
  const { code, stdout, stderr } = await runCurfew(
    ['mcp', 'import'],
    { HOME: home, ...environment },
    join(project, 'below'),
  )
  expect(code).toBe(0)
  expect(stdout).toMatch(/^claude +~\/\.claude\.json +a, red\ncursor +\.\.\/\.cursor\/mcp\.json +b\n/)
  expect(stdout).toMatch(
    /\nto import them .+:\n {2}curfew mcp import claude\n {2}curfew mcp import cursor\n$/,
  )
  expect(stderr).toMatch(/^warning: .+settings\.json: cannot be parsed: /)
  expect(existsSync(join(home, '.config'))).toBe(false)
})

it('reports and skips a file that is nested too deeply', async () => {
  write(join(home, '.claude.json'), `{"mcpServers": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`)
  const { stderr } = await runCurfew(['mcp', 'import'], { HOME: home }, home)
  expect(stderr).toMatch(/\.claude\.json: cannot be parsed: .+: nested more than 200 levels deep/)
})

it('finds no servers if Curfew is the only one', async () => {
  write(join(home, '.claude.json'), { mcpServers: { curfew: { command: 'curfew', args: ['mcp'] } } })
  expect((await importServers()).stdout).toMatch(/^no MCP servers were found/)
})

it('adds Curfew for user-level servers even if a project already has it', async () => {
  write(join(home, '.cursor/mcp.json'), { mcpServers: { a: { command: 'x' } } })
  write(join(project, '.cursor/mcp.json'), { mcpServers: { curfew: { command: 'curfew', args: ['mcp'] } } })
  expect((await importServers('cursor')).stdout).toContain('- in ~/.cursor/mcp.json, "mcpServers": add\n')
})

it('ignores PATH entries that npx adds, and uses the full path instead', async () => {
  write(join(home, '.cursor/mcp.json'), { mcpServers: { a: { command: 'x' } } })
  const entry = async (folder: string): Promise<string> => {
    mkdirSync(folder, { recursive: true })
    symlinkSync(bin, join(folder, 'curfew'))
    const env = { HOME: home, ...environment, PATH: `${folder}:${process.env.PATH}` }
    return (await runCurfew(['mcp', 'import', 'cursor', '--dry-run'], env, project)).stdout
  }
  expect(await entry(join(home, 'node_modules/.bin'))).toContain(`"args": ["${bin}", "mcp", `)
  expect(await entry(join(home, 'bin'))).toContain('"command": "curfew", "args": ["mcp", ')
})

it('--file imports from any file of that format', async () => {
  const file = write(join(home, 'some.json'), { mcpServers: { a: { command: 'x' } } })
  expect((await importServers('--file', file)).code).toBe(0)
  expect(userServers()).toEqual({ a: { command: 'x' } })
  const toml = write(join(home, 'some.toml'), '[mcp_servers.b]\ncommand = "y"\n')
  await importServers('--file', toml)
  expect(userServers()).toMatchObject({ b: { command: 'y' } })
  expect(await importServers('--file', join(home, 'none'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('does not exist'),
  })
})

it.each([
  [
    'an unknown agent',
    ['copilot'],
    /expected claude, claude-desktop, cursor, .+ zed or opencode, got "copilot"/,
  ],
  ['an unknown option', ['claude', '--dryrun'], /Did you mean "--dry-run"\?/],
])('%s is rejected', async (_name, args, expected) => {
  expect(await importServers(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(expected) })
})
