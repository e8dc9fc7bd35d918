import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Ended, runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home: string
let project: string

temporaryFolders((folders) => {
  home = folders.home
  project = folders.project
})

const add = (...args: string[]): Promise<Ended> =>
  runCurfew(['mcp', 'add', ...args], { HOME: home, XDG_CONFIG_HOME: '', CURFEW_TRUST: '' }, project)
const userFile = (): string => join(home, '.config/curfew/mcp.json')
const projectFile = (): string => join(project, '.curfew/mcp.json')
const servers = (file = userFile()): object => JSON.parse(readFileSync(file, 'utf8')).mcpServers

it('adds a program with its own arguments after --', async () => {
  const ended = await add(
    'memory',
    '-e',
    'A=b=c',
    '--timeout',
    '90',
    '--eager',
    '--',
    'npx',
    '-y',
    '--trust',
    'x y',
  )
  expect(ended).toEqual({
    code: 0,
    stdout: 'added memory to ~/.config/curfew/mcp.json\ntest it: curfew mcp test memory\n',
    stderr: '',
  })
  expect(servers()).toEqual({
    memory: {
      command: 'npx',
      args: ['-y', '--trust', 'x y'],
      env: { A: 'b=c' },
      timeout: '90s',
      eager: true,
    },
  })
  expect(statSync(userFile()).mode & 0o777).toBe(0o600)
})

it('adds a remote server', async () => {
  await add(
    'a',
    'https://example.com/mcp',
    '--header',
    'Authorization: Bearer secret:KEY',
    '-H',
    'X:y:z',
    '--trust',
  )
  await add('b', 'https://example.com/sse', '--transport', 'sse', '--timeout', '2m')
  expect(servers()).toEqual({
    a: {
      type: 'http',
      url: 'https://example.com/mcp',
      headers: { Authorization: 'Bearer secret:KEY', X: 'y:z' },
      trust: true,
    },
    b: { type: 'sse', url: 'https://example.com/sse', timeout: '2m' },
  })
})

it('replaces a server only with --force', async () => {
  await add('a', '--', 'one')
  const again = await add('a', '--', 'two')
  expect(again).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('--force replaces it'),
  })
  expect(servers()).toEqual({ a: { command: 'one' } })
  expect((await add('a', '--force', '--', 'two')).stdout).toMatch(/^replaced a in /)
  expect(servers()).toEqual({ a: { command: 'two' } })
})

it('--project creates and trusts the folder, but does not trust an existing one', async () => {
  expect((await add('a', '--project', '--', 'one')).stdout).toBe(
    'added a to .curfew/mcp.json\ntest it: curfew mcp test a\n',
  )
  expect(servers(projectFile())).toEqual({ a: { command: 'one' } })
  expect(existsSync(userFile())).toBe(false)
  rmSync(join(home, '.config'), { recursive: true })
  expect((await add('b', '--project', '--', 'one')).stdout).toContain(
    'this project is not trusted yet; review its files, then run: curfew trust && curfew mcp test b\n',
  )
})

it('--project does not write through a link', async () => {
  const settings = join(home, 'settings.json')
  writeFileSync(settings, '{}')
  mkdirSync(join(project, '.curfew'))
  symlinkSync(settings, projectFile())
  expect(await add('a', '--project', '--', 'one')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is a symbolic link'),
  })
  expect(readFileSync(settings, 'utf8')).toBe('{}')
})

it('reports which keys are in plain text and how to store them, without repeating them', async () => {
  const program = await add('github', '--env', 'GITHUB_TOKEN=ghp_0123456789abcdefghij', '--', 'npx', 'x')
  expect(program.stdout).toContain('env.GITHUB_TOKEN looks like a key')
  expect(program.stdout).toContain('  curfew secret set GITHUB_TOKEN --for mcp__github\n')
  expect(program.stdout).toContain('"secret:GITHUB_TOKEN"')
  const remote = await add('api', 'https://api.example.com/mcp', '-H', 'Authorization: Bearer abcdef')
  expect(remote.stdout).toContain('  curfew secret set API_TOKEN --for api.example.com\n')
  expect(remote.stdout).toContain('"Bearer secret:API_TOKEN"')
  expect(program.stdout + remote.stdout).not.toMatch(/ghp_|abcdef/)
  const named = await add(
    'c',
    '-e',
    'A_KEY=secret:A_KEY',
    '-e',
    'B_KEY=${HOME}',
    '-e',
    'AUTH_MODE=none',
    '--',
    'x',
  )
  expect(named.stdout).toMatch(
    /^added c .+\ntest it: .+\nif it is not stored yet: curfew secret set A_KEY --for mcp__c\n$/,
  )
})

it('--store-secrets keeps keys out of the file, also in arguments and URLs', async () => {
  const env = { HOME: home, XDG_CONFIG_HOME: '', CURFEW_SECRET_STORE: 'file', CURFEW_PASSPHRASE: 'p' }
  const dsn = 'postgres://me:pa$$word@localhost/db'
  const ended = await runCurfew(
    ['mcp', 'add', 'db', '--store-secrets', '-e', 'API_KEY=canary-0123456789', '--', 'x', '--dsn', dsn],
    env,
    project,
  )
  expect(ended).toMatchObject({ code: 0, stderr: '' })
  expect(ended.stdout).toContain('stored as secrets: API_KEY, DB_DSN\n')
  expect(servers()).toEqual({
    db: { command: 'x', args: ['--dsn', 'secret:DB_DSN'], env: { API_KEY: 'secret:API_KEY' } },
  })
  const { stdout } = await runCurfew(['secret', 'list', '--json'], env, project)
  expect(JSON.parse(stdout).secrets).toEqual([
    { name: 'API_KEY', uses: ['tool:mcp__db'] },
    { name: 'DB_DSN', uses: ['tool:mcp__db'] },
  ])
})

it('keeps a project file with a key out of git', async () => {
  await add('a', '--project', '-e', 'API_KEY=canary-0123456789', '--', 'x')
  expect(readFileSync(join(project, '.curfew/.gitignore'), 'utf8')).toBe('mcp.json\n')
})

it('accepts a secret in the arguments, with a warning', async () => {
  const { code, stdout } = await add('a', '--', 'x', '--key=secret:KEY')
  expect(code).toBe(0)
  expect(stdout).toContain('a: args[0]: other users of this machine can see the arguments of a process')
  expect(stdout).toContain('curfew secret set KEY --for mcp__a')
})

it('reports a variable that is not set, and adds the server', async () => {
  const { code, stdout } = await add('a', '--env', 'X=$NOT_SET_HERE', '--', 'one')
  expect(code).toBe(0)
  expect(stdout).toContain('a: env.X: the variable NOT_SET_HERE is not set')
  expect(servers()).toMatchObject({ a: { env: { X: '$NOT_SET_HERE' } } })
})

it.each<[string, string[], RegExp]>([
  ['no name', [], /missing argument NAME/],
  ['only a name', ['a'], /curfew mcp add a -- COMMAND ARGS, or/],
  ['a command without --', ['a', 'server'], /curfew mcp add a -- server/],
  ['a command line without --', ['a', 'npx', '-y', 'x'], /A command goes after --/],
  ['both a URL and a command', ['a', 'https://a.example', '--', 'x'], /a URL or a command/],
  ['a URL of another scheme', ['a', 'ftp://a.example'], /URL: expected http:\/\/ or https:\/\//],
  ['an invalid name', ['a__b', '--', 'x'], /must not contain "__"/],
  ['a header for a program', ['a', '--header', 'A: b', '--', 'x'], /--header requires a URL/],
  ['a variable for a URL', ['a', 'https://a.example', '--env', 'A=b'], /--env requires a program/],
  [
    'an unknown transport',
    ['a', 'https://a.example', '--transport', 'ws'],
    /--transport: expected stdio, http or sse/,
  ],
  ['a variable without a value', ['a', '--env', 'A', '--', 'x'], /--env: expected NAME=VALUE/],
  ['a header without a value', ['a', 'https://a.example', '-H', 'A'], /--header: expected 'NAME: VALUE'/],
  [
    'an invalid duration',
    ['a', '--timeout', 'soon', '--', 'x'],
    /--timeout: expected a duration .+, got "soon"/,
  ],
  ['Curfew itself', ['a', '--', 'npx', 'curfew', 'mcp'], /add: a: is Curfew itself/],
  ['an unknown option', ['a', '--forse', '--', 'x'], /Did you mean "--force"\?/],
])('%s is rejected in one line, and nothing is written', async (_name, args, expected) => {
  const ended = await add(...args)
  expect(ended).toMatchObject({ code: 2, stdout: '' })
  expect(ended.stderr).toMatch(expected)
  expect(ended.stderr.trim().split('\n')).toHaveLength(1)
  expect(existsSync(userFile())).toBe(false)
})

it('does not change an invalid file', async () => {
  await add('a', '--', 'x')
  writeFileSync(userFile(), '{ "mcpServers": }')
  expect(await add('b', '--', 'x')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/is not JSON.+fix it first\n$/),
  })
  expect(readFileSync(userFile(), 'utf8')).toBe('{ "mcpServers": }')
})

it('rejects an unknown subcommand with a suggestion', async () => {
  const { code, stderr } = await runCurfew(['mcp', 'ad'], { HOME: home }, project)
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'curfew mcp: unknown command "ad". Did you mean "add"? See curfew mcp --help\n',
  })
})

it('warns of a tracked file with a key, and runs nothing that the repository configures', async () => {
  const trace = join(project, 'has-run')
  mkdirSync(join(project, '.curfew'), { recursive: true })
  writeFileSync(projectFile(), '{}')
  execFileSync('git', ['init', '-q'], { cwd: project })
  execFileSync('git', ['add', '.'], { cwd: project })
  writeFileSync(join(project, '.git/config'), `[core]\n\tfsmonitor = "echo run > ${trace}; false"\n`, {
    flag: 'a',
  })
  const { code, stdout } = await add(
    'a',
    '--project',
    '-e',
    `API_TOKEN=ghp_${'0123456789'.repeat(4)}`,
    '--',
    'x',
  )
  expect(code).toBe(0)
  expect(stdout).toContain(
    'mcp.json is already tracked by git; untrack it: git rm --cached .curfew/mcp.json\n',
  )
  expect(existsSync(trace)).toBe(false)
})
