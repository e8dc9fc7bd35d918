import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Ended, ending, runCurfew, startCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home: string
let project: string

temporaryFolders((folders) => {
  home = folders.home
  project = folders.project
})

const curfew = (...args: string[]): Promise<Ended> => runCurfew(args, environment(), project)
const environment = (): Record<string, string> => ({
  HOME: home,
  XDG_CONFIG_HOME: '',
  XDG_STATE_HOME: '',
  CURFEW_TRUST: '',
})

describe('a result that is too long to be shown', () => {
  const longCall = [
    'call',
    'timeout',
    '{"command_args": ["sh", "-c", "yes | head -c 300000"], "seconds": 30, "max_output_bytes": 200000}',
  ]
  const fileIn = ({ stdout }: Ended): string =>
    /the complete result is in (\S+) /.exec(JSON.parse(stdout).content)![1]!

  it('is in a file that outlives the command', async () => {
    const path = fileIn(await curfew(...longCall))
    expect(path.startsWith(join(home, '.local/state/curfew/results/'))).toBe(true)
    expect(readFileSync(path, 'utf8').length).toBeGreaterThan(200_000)
  })

  it('is written to the configured folder', async () => {
    const path = fileIn(await curfew(...longCall, '--set', `spillDirectory=${join(project, 'long')}`))
    expect(path.startsWith(join(project, 'long'))).toBe(true)
    expect(existsSync(path)).toBe(true)
  })
})

describe('curfew new script', () => {
  it.each(['js', 'py', 'sh'])('creates a working script: %s', async (language) => {
    const made = await curfew('new', 'script', 'hello', '--lang', language)
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toContain('.curfew/extensions/scripts/hello/tool.json')
    const called = await curfew('call', 'script_hello', '{"name": "Ada"}')
    expect(called).toMatchObject({ code: 0, stderr: '' })
    expect(called.stdout).toContain('Ada')
  })

  it('never overwrites a file, and rejects invalid names', async () => {
    await curfew('new', 'script', 'hello')
    const file = join(project, '.curfew/extensions/scripts/hello/tool.json')
    writeFileSync(file, 'mine')
    expect(await curfew('new', 'script', 'hello')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('already exists'),
    })
    expect(readFileSync(file, 'utf8')).toBe('mine')
    for (const name of ['../up', '', 'a b', '-x']) {
      expect(await curfew('new', 'script', '--', name)).toMatchObject({ code: 2, stdout: '' })
    }
    expect(await curfew('new', 'scrip', 'x')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "script"?'),
    })
    expect(await curfew('new', 'script', 'x', '--lang', 'cobol')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('js, py or sh'),
    })
  })

  it('works in a CommonJS project', async () => {
    writeFileSync(join(project, 'package.json'), '{"type": "commonjs"}')
    await curfew('new', 'script', 'hello')
    const called = await curfew('call', 'script_hello')
    expect(called).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(called.stdout).durationMs).toSatisfy(Number.isInteger)
  })

  it('creates nothing if trust cannot be stored', async () => {
    writeFileSync(join(home, '.config'), 'a file where a folder should be')
    const ended = await curfew('new', 'script', 'hello')
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('CURFEW_TRUST=1') })
    expect(existsSync(join(project, '.curfew'))).toBe(false)
  })

  it('does not follow a link out of the folder', async () => {
    mkdirSync(join(project, '.curfew'))
    symlinkSync(home, join(project, '.curfew', 'extensions'))
    expect(await curfew('new', 'script', 'hello')).toMatchObject({ code: 2, stdout: '' })
    expect(existsSync(join(home, 'scripts', 'hello', 'tool.json'))).toBe(false)
  })

  it('writes to the user folder on request, and to an untrusted project without trusting it', async () => {
    expect((await curfew('new', 'script', 'everywhere', '--user')).code).toBe(0)
    expect(existsSync(join(home, '.config/curfew/extensions/scripts/everywhere/script.js'))).toBe(true)
    mkdirSync(join(project, '.curfew'))
    expect((await curfew('new', 'script', 'here')).stdout).toContain(
      'curfew trust && curfew call script_here',
    )
    expect(await curfew('call', 'script_here')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('curfew trust'),
    })
  })
})

describe('curfew trust', () => {
  it('enables the tools of a project, lists them, and can be reverted', async () => {
    mkdirSync(join(project, '.curfew'))
    await curfew('new', 'script', 'hello')
    const before = await curfew('tools')
    expect(before.stdout).not.toContain('script_hello')
    expect(before.stderr).toMatch(/warning: .+\.curfew: is ignored.+curfew trust/)
    const trusted = await curfew('trust')
    expect(trusted).toMatchObject({ code: 0, stdout: expect.stringContaining('script_hello') })
    expect((await curfew('tools')).stdout).toContain('script_hello')
    expect((await curfew('trust', '--list')).stdout).toContain('.curfew')
    await curfew('trust', '--remove')
    expect((await curfew('tools')).stdout).not.toContain('script_hello')
    expect((await curfew('trust', '--list')).stdout).toBe('no project is trusted\n')
    expect(await curfew('trust', '--remove')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('is not trusted'),
    })
  })

  it('reports that there is no project to trust', async () => {
    expect(await curfew('trust')).toMatchObject({ code: 2, stderr: expect.stringContaining('no .curfew') })
  })
})

describe('curfew tools', () => {
  it('shows the content of files as plain text, and which tools run without approval', async () => {
    await curfew('new', 'script', 'hello')
    const file = join(project, '.curfew/extensions/scripts/hello/tool.json')
    const description = 'Red \u001b[31m\n\nscript_fake\n  Harmless.'
    writeFileSync(file, JSON.stringify({ description, always_allow: true, '\u001b[2Jx\ny': 1 }))
    const shown = [await curfew('tools'), await curfew('tools', '--view', 'full'), await curfew('doctor')]
    for (const { stdout, stderr } of shown) {
      expect(stdout + stderr).not.toContain('\u001b')
      expect(stdout + stderr).not.toMatch(/^script_fake/m)
    }
    expect(shown[0]!.stdout).toMatch(/^script_hello +script +always-allow /m)
    const called = await curfew('call', 'script_hello')
    expect(called.stderr).toMatch(/^warning: .+hello\/tool\.json: x y: unknown field/m)
  })

  it('lists name, adapter, flags, effective timeout and its source; broken files on stderr', async () => {
    await curfew('new', 'script', 'hello')
    await curfew('new', 'script', 'broken')
    writeFileSync(join(project, '.curfew/extensions/scripts/broken/tool.json'), '{"description": 7}')
    const { stdout, stderr, code } = await curfew('tools')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^name +adapter +flags +timeout +set by$/m)
    expect(stdout).toMatch(/^sleep +builtin +read-only concurrent +per call +its arguments$/m)
    expect(stdout).toMatch(/^script_hello +script +- +1 min +the tool's own timeout$/m)
    expect(stderr).toMatch(/^error: .+broken\/tool\.json: description: must be string$/m)
    const json = JSON.parse((await curfew('tools', '--json')).stdout)
    expect(json.tools).toContainEqual(
      expect.objectContaining({
        name: 'script_hello',
        adapter: 'script',
        timeoutMs: 60_000,
        timeoutSource: 'tool',
      }),
    )
    expect(json.problems).toMatchObject([{ severity: 'error', field: 'description' }])
  })

  it('shows the three views as a model sees them', async () => {
    const view = async (name: string): Promise<{ tools: Record<string, unknown>[] }> =>
      JSON.parse((await curfew('tools', '--json', '--view', name)).stdout)
    expect((await view('stub')).tools[0]).toEqual({ name: 'timeout' })
    expect(Object.keys((await view('brief')).tools[0]!)).toEqual(['name', 'description', 'parameters'])
    expect((await view('full')).tools[0]).toMatchObject({ annotations: { readOnlyHint: false } })
    expect((await curfew('tools', '--view', 'brief')).stdout).toContain('command_args (array, required)')
    expect(await curfew('tools', '--view', 'large')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('stub, brief or full'),
    })
  })
})

describe('curfew call', () => {
  it('prints one JSON object without a terminal', async () => {
    const { stdout, stderr, code } = await curfew(
      'call',
      'timeout',
      '{"command_args": ["echo", "hi"], "seconds": 5}',
    )
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'success',
      value: { outcome: 'exited', exit_code: 0, stdout: 'hi\n', survivors: [] },
      output: 'hi\n',
    })
  })

  it.each([
    [1, ['script_fails']],
    [2, ['no_such_tool']],
    [2, ['sleep', '{"seconds": "x"}']],
    [2, ['sleep', '{"seconds": ']],
    [2, ['sleep', '{}', 'more']],
    [2, ['sleep', 'seconds=soon']],
    [2, ['sleep', 'seconds=1', '--value', '--json']],
    [2, []],
    [2, ['sleep', '{"seconds": 1}', '--timeout', 'soon']],
    [2, ['sleep', '{"seconds": 1}', '--timeout', '0']],
    [124, ['sleep', '{"seconds": 30}', '--timeout', '200ms']],
    [124, ['sleep', '{"seconds": 30}', '--timeout', '0.2']],
  ])('exits with %i: %j', async (code, args) => {
    await curfew('new', 'script', 'fails')
    writeFileSync(join(project, '.curfew/extensions/scripts/fails/script.js'), 'process.exit(9)')
    const ended = await curfew('call', ...args)
    expect(ended.code).toBe(code)
    expect(ended.stdout + ended.stderr).not.toBe('')
  })

  it('converts NAME=VALUE to the type in the schema, and accepts JSON as well', async () => {
    const command = ['command_args=echo', 'command_args=7', 'max_output_bytes=10', 'dry_run=false']
    const { stdout, code } = await curfew('call', 'timeout', '{"seconds": 5}', ...command)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ value: { stdout: '7\n' } })
    expect(await curfew('call', 'sleep', 'seconds=soon')).toEqual({
      code: 2,
      stdout: '',
      stderr: 'curfew call: seconds: expected a number, got "soon"; to pass any JSON, write seconds:=JSON\n',
    })
  })

  it('lists the parameters if one is invalid', async () => {
    const { stdout } = await curfew('call', 'sleep', 'second=1')
    expect(JSON.parse(stdout).message).toBe(
      'params of sleep: seconds: is required; second: is not a parameter of this tool, did you mean "seconds"? ' +
        'Parameters: seconds (number, required), dry_run (boolean)',
    )
  })

  it('--value prints only the value, or only the error', async () => {
    await curfew('new', 'script', 'hello')
    expect(await curfew('call', 'script_hello', 'name=Ada', '--value')).toEqual({
      code: 0,
      stdout: '{"greeting":"Hello, Ada!"}\n',
      stderr: '',
    })
    const script = join(project, '.curfew/extensions/scripts/hello/script.js')
    writeFileSync(script, "console.log('plain text, ' + 1)")
    expect((await curfew('call', 'script_hello', '--value')).stdout).toBe('plain text, 1\n')
    writeFileSync(script, 'process.exit(9)')
    expect(await curfew('call', 'script_hello', '--value')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^curfew call: TOOL_FAILED: script_hello exited with code 9/),
    })
  })

  it('reports why a tool could not be loaded', async () => {
    await curfew('new', 'script', 'broken')
    const file = join(project, '.curfew/extensions/scripts/broken/tool.json')
    writeFileSync(file, '{"description": 7}')
    const { stdout, stderr, code } = await curfew('call', 'script_broken')
    expect({ stderr, code }).toEqual({ stderr: '', code: 2 })
    expect(JSON.parse(stdout)).toMatchObject({
      code: 'TOOL_NOT_FOUND',
      message: `script_broken could not be loaded: ${file}: description: must be string`,
    })
  })

  it('rejects arguments that are nested too deeply', async () => {
    const { code, stderr } = await curfew('call', 'sleep', '['.repeat(20_000) + ']'.repeat(20_000))
    expect(code).toBe(2)
    expect(stderr).toMatch(/expected JSON or NAME=VALUE, .+: nested more than 200 levels deep/)
  })

  it('reads arguments from standard input', async () => {
    const child = startCurfew(['call', 'sleep', '-'], environment(), project, 'pipe')
    child.stdin!.end('{"seconds": 0.01}')
    expect(await ending(child)).toMatchObject({ code: 0, stdout: expect.stringContaining('0.01') })
  })

  it('ends everything it started on SIGINT, and exits with 130', async () => {
    const marker = `${Date.now()}${process.pid}`
    const params = { command_args: ['sh', '-c', `sleep ${marker} & sleep ${marker}`], seconds: 60 }
    const child = startCurfew(['call', 'timeout', JSON.stringify(params)], environment(), project)
    const ended = ending(child)
    await expect
      .poll(() => spawnSync('pgrep', ['-x', '-f', `sleep ${marker}`]).status, { timeout: 10_000 })
      .toBe(0)
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({ status: 'cancelled', code: 'CANCELLED' })
  })

  describe('deny rules', () => {
    const echo = ['call', 'timeout', 'command_args=echo', 'command_args=hi', 'seconds=5']
    const write = (approval: object): void => {
      mkdirSync(join(home, '.config/curfew'), { recursive: true })
      writeFileSync(join(home, '.config/curfew/config.json'), JSON.stringify({ approval }))
    }

    it('apply to typed calls, and the error names their file', async () => {
      write({ rules: { allow: ['timeout'], deny: ['*(echo *)'] } })
      const { code, stdout, stderr } = await curfew(...echo)
      expect(code).toBe(1)
      expect(JSON.parse(stdout)).toMatchObject({
        code: 'DENIED',
        message: expect.stringContaining('the rule "*(echo *)" denies it'),
        output: '',
      })
      expect(stderr).toMatch(/they are set in ~\/.config\/curfew\/config.json; see curfew config/)
    })

    it('are the only rules that apply to typed calls', async () => {
      write({ default: 'deny', rules: { ask: ['timeout'], deny: ['*(rm *)'] } })
      expect(await curfew(...echo, '--value')).toMatchObject({ code: 0, stderr: '' })
    })
  })
})
