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
const take = (...args: string[]): Promise<Ended> =>
  runCurfew(['mcp', 'import', ...args], { HOME: home, ...environment }, project)

function put(file: string, content: unknown): string {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const read = (file: string): Record<string, unknown> =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).mcpServers : {}
const mine = (): Record<string, unknown> => read(join(home, '.config/curfew/mcp.json'))
const ours = (): Record<string, unknown> => read(join(project, '.curfew/mcp.json'))

describe('Claude', () => {
  it('Code: its own, those of this folder, and those that a team shares; Desktop', async () => {
    const file = put(join(home, '.claude.json'), {
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
    put(join(project, '.mcp.json'), {
      mcpServers: { shared: { type: 'http', url: 'https://a.example/mcp' } },
    })
    put(join(home, '.config/Claude/claude_desktop_config.json'), {
      mcpServers: { desk: { command: 'desk', args: ['${HOME}'] } },
    })
    const before = readFileSync(file, 'utf8')
    const { code, stdout, stderr } = await take('claude')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(mine()).toEqual({
      github: { type: 'stdio', command: 'npx', args: ['a$$b', '${HOME}'] },
      ...(process.platform === 'linux' && { desk: { command: 'desk', args: ['$${HOME}'] } }),
    })
    expect(ours()).toEqual({
      local: { command: 'local' },
      shared: { type: 'http', url: 'https://a.example/mcp' },
    })
    expect(stdout).toMatch(/^ {2}- {2}curfew +is Curfew itself$/m)
    expect(stdout).toContain('- in ~/.claude.json, "mcpServers": remove github\n')
    expect(stdout).toContain('- in .mcp.json, "mcpServers": remove shared\n- curfew is already configured\n')
    expect(readFileSync(file, 'utf8')).toBe(before)
  })

  it('a second time there is nothing to do; another server of that name stays unless --force', async () => {
    const file = join(home, '.claude.json')
    put(file, { mcpServers: { a: { command: 'one' } } })
    await take('claude')
    expect((await take('claude')).stdout).toMatch(
      /= {2}a {2}is already in .+\n\nthere was nothing to import\n/,
    )
    put(file, { mcpServers: { a: { command: 'two' } } })
    expect((await take('claude')).stdout).toMatch(/has another a; --rename keeps both, --force replaces it/)
    expect(mine()).toEqual({ a: { command: 'one' } })
    await take('claude', '--force')
    expect(mine()).toEqual({ a: { command: 'two' } })
  })
})

it('Codex: seconds, forwarded variables, bearer tokens, and a change in TOML', async () => {
  put(
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
  const { stdout } = await take('codex')
  expect(mine()).toEqual({
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

it('Gemini: comments, milliseconds, httpUrl, and what it calls otherwise', async () => {
  put(
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
  const { code, stdout } = await take('gemini')
  expect(code).toBe(0)
  expect(stdout).toMatch(/"args": \[.*"mcp", "--name-limit", "51"\], "timeout": 3600000 \}\n$/)
  expect(mine()).toEqual({
    a: { command: 'x', include: ['t'], exclude: ['u'], timeout: '30s' },
    b: { type: 'http', url: 'http://localhost:1/mcp', timeout: '5500ms' },
    c: { url: 'http://localhost:1/sse' },
  })
})

it('Cursor: its own variables; what cannot be taken over is said and harms nobody', async () => {
  put(join(project, '.cursor/mcp.json'), {
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
  const { code, stdout } = await take('cursor')
  expect(code).toBe(0)
  expect(ours()).toEqual({
    a: { command: `${project}/x`, args: ['${HOME}', '${HOME}'] },
    'b-c': { url: 'https://a.example/mcp' },
  })
  expect(stdout).toMatch(/\+ {2}b c as b-c +https:\/\/a\.example\/mcp\n/)
  expect(stdout).toMatch(/! {2}bad +requires "command"/)
  expect(stdout).toMatch(/! {2}worse +is not an object/)
  expect(stdout).toContain('a: "envFile" is not supported')
  expect(stdout).toContain('b-c: unknown keys were not imported: "color"')
})

it('says which values are keys in the clear, and never shows them', async () => {
  put(join(home, '.cursor/mcp.json'), {
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
    const { stdout, stderr } = await take(...args)
    expect(stdout + stderr).not.toContain('canary')
    for (const field of ['env.API_KEY', 'args[1]', 'headers.X-Key', 'url']) expect(stdout).toContain(field)
    expect(stdout).toContain('curfew secret set API_KEY --for mcp__a')
    expect(stdout).toContain('curfew secret set B_X_KEY --for a.example')
  }
  expect(JSON.stringify(mine())).toContain('canary')
})

it('--dry-run writes nothing, not even trust', async () => {
  put(join(project, '.cursor/mcp.json'), { mcpServers: { a: { command: 'x' } } })
  const { stdout } = await take('cursor', '--dry-run')
  expect(stdout).toContain('nothing was written; without --dry-run, 1 server would be imported\n')
  expect(existsSync(join(project, '.curfew')) || existsSync(join(home, '.config'))).toBe(false)
})

it('without a name it says what there is, from below the project too', async () => {
  expect((await take()).stdout).toMatch(/^no MCP servers were found/)
  put(join(home, '.claude.json'), { mcpServers: { a: { command: 'x' }, '\u001b[31mred': { command: 'x' } } })
  put(join(project, '.cursor/mcp.json'), { mcpServers: { b: { command: 'x' } } })
  put(join(home, '.gemini/settings.json'), '{ broken')
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

it('a file of an agent that is nested too deeply is named, and passed over', async () => {
  put(join(home, '.claude.json'), `{"mcpServers": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`)
  const { stderr } = await runCurfew(['mcp', 'import'], { HOME: home }, home)
  expect(stderr).toMatch(/\.claude\.json: cannot be parsed: .+: nested more than 200 levels deep/)
})

it('where Curfew is all that an agent has, there is nothing to take over', async () => {
  put(join(home, '.claude.json'), { mcpServers: { curfew: { command: 'curfew', args: ['mcp'] } } })
  expect((await take()).stdout).toMatch(/^no MCP servers were found/)
})

it('Curfew in one project is not there for the servers of all', async () => {
  put(join(home, '.cursor/mcp.json'), { mcpServers: { a: { command: 'x' } } })
  put(join(project, '.cursor/mcp.json'), { mcpServers: { curfew: { command: 'curfew', args: ['mcp'] } } })
  expect((await take('cursor')).stdout).toContain('- in ~/.cursor/mcp.json, "mcpServers": add\n')
})

it('what npx puts before the PATH is not there for an agent: it gets the whole path', async () => {
  put(join(home, '.cursor/mcp.json'), { mcpServers: { a: { command: 'x' } } })
  const entry = async (folder: string): Promise<string> => {
    mkdirSync(folder, { recursive: true })
    symlinkSync(bin, join(folder, 'curfew'))
    const env = { HOME: home, ...environment, PATH: `${folder}:${process.env.PATH}` }
    return (await runCurfew(['mcp', 'import', 'cursor', '--dry-run'], env, project)).stdout
  }
  expect(await entry(join(home, 'node_modules/.bin'))).toContain(`"args": ["${bin}", "mcp", `)
  expect(await entry(join(home, 'bin'))).toContain('"command": "curfew", "args": ["mcp", ')
})

it('--file takes any file of that kind', async () => {
  const file = put(join(home, 'some.json'), { mcpServers: { a: { command: 'x' } } })
  expect((await take('--file', file)).code).toBe(0)
  expect(mine()).toEqual({ a: { command: 'x' } })
  const toml = put(join(home, 'some.toml'), '[mcp_servers.b]\ncommand = "y"\n')
  await take('--file', toml)
  expect(mine()).toMatchObject({ b: { command: 'y' } })
  expect(await take('--file', join(home, 'none'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('does not exist'),
  })
})

it.each([
  ['an unknown agent', ['copilot'], /expected claude, cursor, codex or gemini/],
  ['an unknown option', ['claude', '--dryrun'], /Did you mean "--dry-run"\?/],
])('%s is rejected', async (_name, args, expected) => {
  expect(await take(...args)).toMatchObject({ code: 2, stderr: expect.stringMatching(expected) })
})
