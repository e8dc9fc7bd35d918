import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Ended, runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home: string
let project: string

temporaryFolders((folders) => {
  home = folders.home
  project = folders.project
})

const environment = { XDG_CONFIG_HOME: '', CURFEW_TRUST: '1' }
const run = (env: Record<string, string>, ...args: string[]): Promise<Ended> =>
  runCurfew(args, { HOME: home, ...environment, ...env }, project)
const curfew = (...args: string[]): Promise<Ended> => run({}, ...args)

const userFile = (): string => join(home, '.config/curfew/config.json')
const projectFile = (): string => join(project, '.curfew/config.json')
function config(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
}

describe('curfew config', () => {
  it('shows every value and its source, aligned within 80 columns', async () => {
    config(userFile(), {
      toolCallTimeout: '2m',
      approval: { rules: { deny: ['timeout(rm *)'] } },
      loops: false,
    })
    const deny = ['timeout(some long command that takes its space *)']
    config(projectFile(), { limits: { depth: 3 }, approval: { rules: { deny } } })
    const env = { CURFEW_TIMEOUTS_MCP_STDIO: '90s', CURFEW_BREAKER_MAX_CALLS_PER_WINDOW: '5' }
    const { code, stdout, stderr } = await run(env, 'config', '--set', 'grace=1ms', '--set', 'view=full')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const line of [
      /^toolCallTimeout +2 min +~\/\.config\/curfew\/config\.json$/m,
      /^timeouts\.api +2 min +toolCallTimeout$/m,
      /^timeouts\.mcp-stdio +1 min 30 s +CURFEW_TIMEOUTS_MCP_STDIO$/m,
      /^limits\.depth +3 +\.curfew\/config\.json$/m,
      /^limits\.callsPerTurn +1000 +default$/m,
      /^loops +off +~\/\.config\/curfew\/config\.json$/m,
      /^approval\.default +ask +default$/m,
      /^approval\.rules\.deny +timeout\(rm \*\) +~\/\.config\/curfew\/config\.json$/m,
      /^ +timeout\(some long command that takes its space \*\)\n +\.curfew\/config\.json$/m,
      /^grace +1 ms +--set$/m,
      /^view +full +--set$/m,
      /^breaker\.maxCallsPerWindow +5 +CURFEW_BREAKER_MAX_CALLS_PER_WINDOW$/m,
    ]) {
      expect(stdout).toMatch(line)
    }
    const starts = stdout
      .split('\n')
      .flatMap((line) => line.match(/^\S+ +\S.*? {2,}(?=\S+$)/)?.[0].length ?? [])
    expect(new Set(starts).size).toBe(1)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  it('--json prints settings and problems as one object', async () => {
    config(userFile(), { grace: -1, concurrency: 3 })
    const { code, stdout, stderr } = await run({ CURFEW_VIEW: 'x' }, 'config', '--json')
    expect(code).toBe(0)
    const { settings, problems } = JSON.parse(stdout)
    expect(settings).toContainEqual({
      key: 'concurrency',
      kind: 'count',
      value: 3,
      source: 'user',
      file: userFile(),
    })
    expect(settings).toContainEqual({ key: 'grace', kind: 'duration', value: 250, source: 'default' })
    expect(problems).toMatchObject([
      { severity: 'error', file: userFile(), field: 'grace' },
      { severity: 'error', file: 'the environment', field: 'CURFEW_VIEW' },
    ])
    expect(stderr).toMatch(/^error: .+config\.json: grace: expected .+, got -1/m)
    expect(stderr).toMatch(/^error: the environment: CURFEW_VIEW: must be one of/m)
  })

  it('reports a file that is not JSON, and still uses the other', async () => {
    config(userFile(), '{ "grace": 5,, }')
    config(projectFile(), { concurrency: 2 })
    const { code, stdout, stderr } = await curfew('config')
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /^error: .+\.config\/curfew\/config\.json: is not JSON: line 1, column 14: expected/,
    )
    expect(stdout).toMatch(/^concurrency +2 +\.curfew/m)
    expect(stdout).toMatch(/^grace +250 ms +default$/m)
  })

  it('ignores a project that is not trusted', async () => {
    config(projectFile(), { concurrency: 2 })
    const { stdout, stderr } = await run({ CURFEW_TRUST: '' }, 'config')
    expect(stdout).toMatch(/^concurrency +8 +default$/m)
    expect(stderr).toMatch(/^warning: .+is ignored.+curfew trust\n$/)
  })

  it.each([
    ['garce=5', '--set garce: unknown setting; did you mean "grace"?'],
    ['limits=5', '--set limits: has several settings: limits.callsPerTurn'],
    ['grace=0', '--set grace: expected a duration greater than zero, got 0'],
    ['toolCallTimeout=5000', '--set toolCallTimeout: expected a duration with a unit, got 5000; write 5s'],
    ['grace', '--set grace: expected grace=VALUE'],
  ])('--set %s is a usage error, for tools and call too', async (flag, message) => {
    for (const command of [['config'], ['tools'], ['call', 'sleep']]) {
      const ended = await curfew(...command, '--set', flag)
      expect(ended).toMatchObject({ code: 2, stdout: '' })
      expect(ended.stderr).toContain(`curfew ${command[0]}: ${message}`)
    }
  })

  it('--schema prints the JSON Schema', async () => {
    const schema = JSON.parse((await curfew('config', '--schema')).stdout)
    expect(schema.properties.toolCallTimeout).toMatchObject({ default: '3m' })
  })

  it('removes control sequences in files', async () => {
    config(projectFile(), { spillDirectory: '\u001b]0;title\u0007x', '\u001b[31mred': 1 })
    const { stdout, stderr } = await curfew('config')
    expect(stdout + stderr).not.toContain('\u001b')
  })
})

describe('curfew tools and curfew call', () => {
  beforeEach(async () => {
    await curfew('new', 'script', 'plain')
    const folder = join(project, '.curfew/extensions/scripts/plain')
    writeFileSync(join(folder, 'tool.json'), '{"description": "Wait."}')
    writeFileSync(join(folder, 'script.js'), 'setTimeout(() => {}, 20000)')
  })

  it('tools shows the effective timeout and its source', async () => {
    const shown = async (...args: string[]): Promise<string> => {
      const { stdout } = await curfew('tools', ...args)
      return /^script_plain +script +- +(.+)$/m.exec(stdout)![1]!.replace(/ {2,}/, ': ')
    }
    expect(await shown()).toBe("5 min: its adapter's default")
    config(userFile(), { toolCallTimeout: '2m' })
    expect(await shown()).toBe("5 min: its adapter's default")
    config(userFile(), { toolCallTimeout: '7m' })
    expect(await shown()).toBe('7 min: toolCallTimeout in ~/.config/curfew/config.json')
    config(projectFile(), { timeouts: { script: '90s' } })
    expect(await shown()).toBe('1 min 30 s: timeouts.script in .curfew/config.json')
    const max = 'maxToolCallTimeout=5s'
    expect(await shown('--set', max)).toBe('5 s: maxToolCallTimeout in --set')
    const { tools } = JSON.parse((await curfew('tools', '--json')).stdout)
    expect(tools).toContainEqual(
      expect.objectContaining({ name: 'script_plain', timeoutMs: 90_000, timeoutSource: 'timeouts' }),
    )
  })

  it('call applies the timeout without asking for approval, and reports invalid settings', async () => {
    config(userFile(), {
      timeouts: { script: 300 },
      approval: { default: 'deny', rules: { ask: ['*'] } },
      view: 1,
    })
    const ended = await curfew('call', 'script_plain')
    expect(ended.code).toBe(124)
    expect(JSON.parse(ended.stdout)).toMatchObject({
      code: 'TOOL_TIMEOUT',
      timeoutMs: 300,
      timeoutSource: 'timeouts',
    })
    expect(ended.stderr).toMatch(/^error: .+config\.json: view: must be one of .+\n$/)
    const flag = await curfew('call', 'script_plain', '--set', 'timeouts.script=200ms')
    expect(JSON.parse(flag.stdout)).toMatchObject({ timeoutMs: 200, timeoutSource: 'timeouts' })
  })

  it('call applies the settings for single tools, of which only deny needs no answer', async () => {
    config(userFile(), {
      tools: { 'script_*': { approval: 'deny' }, script_plain: { approval: 'ask', timeout: 250 } },
    })
    const ended = await curfew('call', 'script_plain')
    expect(JSON.parse(ended.stdout)).toMatchObject({
      code: 'TOOL_TIMEOUT',
      timeoutMs: 250,
      timeoutSource: 'tools',
      message: expect.stringContaining('tools.script_plain.timeout in the configuration'),
    })
    const denied = await curfew('call', 'script_plain', '--set', 'tools.script_plain.approval=deny')
    expect(JSON.parse(denied.stdout)).toMatchObject({ code: 'DENIED' })
    expect(denied.stderr).toContain('they are set in')
  })
})

describe('curfew init', () => {
  const untrusted = { CURFEW_TRUST: '' }

  it('writes a configuration that changes nothing, with its schema, and trusts the new folder', async () => {
    const made = await run(untrusted, 'init')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toBe(
      'created .curfew/config.json and .curfew/config.schema.json\nshow the effective settings: curfew config\n',
    )
    const [, schema] = /"\$schema": "(.+)"/.exec(readFileSync(projectFile(), 'utf8'))!
    expect(existsSync(join(dirname(projectFile()), schema!))).toBe(true)
    const { stdout, stderr } = await run(untrusted, 'config', '--json')
    expect(stderr).toBe('')
    const { settings, problems } = JSON.parse(stdout)
    expect(problems).toEqual([])
    for (const { source } of settings) expect(source).toBe('default')
    expect((await run(untrusted, 'trust', '--list')).stdout).toBe(`${join(project, '.curfew')}\n`)
  })

  it('writes settings in comments that are valid once uncommented', async () => {
    await curfew('init')
    const text = readFileSync(projectFile(), 'utf8')
    writeFileSync(projectFile(), text.replace(/\/\/ (?=")/g, ''))
    const { stdout, stderr } = await curfew('config')
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^toolCallTimeout +3 min +\.curfew\/config\.json$/m)
    expect(stdout).toMatch(/^limits\.depth +8 +\.curfew\/config\.json$/m)
  })

  it('never overwrites a file', async () => {
    config(projectFile(), 'mine')
    expect(await curfew('init')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^curfew init: .+config\.json already exists and was not changed\n$/),
    })
    expect(readFileSync(projectFile(), 'utf8')).toBe('mine')
    rmSync(projectFile())
    const schema = join(project, '.curfew/config.schema.json')
    writeFileSync(schema, '{}')
    expect((await curfew('init')).stdout).toMatch(/^created \.curfew\/config\.json\n/)
    expect(readFileSync(schema, 'utf8')).toBe('{}')
  })

  it('does not trust an existing folder', async () => {
    mkdirSync(join(project, '.curfew'))
    expect((await run(untrusted, 'init')).stdout).toContain('not trusted yet')
    expect((await run(untrusted, 'trust', '--list')).stdout).toBe('no project is trusted\n')
  })

  it('--user writes to the private user folder', async () => {
    expect((await curfew('init', '--user')).code).toBe(0)
    expect(existsSync(userFile())).toBe(true)
    expect(statSync(dirname(userFile())).mode & 0o777).toBe(0o700)
    expect(existsSync(join(project, '.curfew'))).toBe(false)
    expect((await curfew('config')).stderr).toBe('')
  })
})

describe('curfew doctor', () => {
  it('reports the configuration of both roots and its problems', async () => {
    config(userFile(), { approval: 'deny' })
    config(projectFile(), { grace: 0, approval: 'allow' })
    const { stdout } = await curfew('doctor')
    expect(stdout).toMatch(/^✓ user .+ \(0 tools, config\.json\)$/m)
    expect(stdout).toMatch(/^✗ project .+ \(0 tools, config\.json\)$/m)
    expect(stdout).toMatch(/^ {2}.+config\.json: grace: expected .+, got 0/m)
    expect(stdout).toMatch(/^ {2}.+config\.json: approval\.default: "allow" is looser/m)
  })
})
