import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ending, runCurfew, startCurfew } from './run-curfew.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

describe('curfew', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('%j prints the help', async (args) => {
    const { code, stdout, stderr } = await runCurfew(args)
    expect(code).toBe(0)
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^Usage: curfew \[OPTIONS\]/)
    expect(stdout).toMatch(/^ {2}demo +\w+/m)
    expect(stdout).toContain('--version')
  })

  it('ends with how to ask a model if there are no arguments', async () => {
    const { stdout } = await runCurfew([])
    const lastScreen = stdout.split('\n').slice(-23).join('\n')
    expect(lastScreen).toContain("curfew -p 'What does this project do?'")
    expect(lastScreen).toContain('curfew --help lists the options')
  })

  it.each(['--version', '-v'])('%s prints the version', async (option) => {
    expect(await runCurfew([option])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it.each<[string[], string]>([
    [['foo'], 'curfew: unknown command "foo". See curfew --help\n'],
    [['dmeo'], 'curfew: unknown command "dmeo". Did you mean "demo"? See curfew --help\n'],
    [['constructor'], 'curfew: unknown command "constructor". See curfew --help\n'],
    [['--verison'], 'curfew: unknown option "--verison". Did you mean "--version"? See curfew --help\n'],
    [
      ['demo', '--jsno'],
      'curfew demo: unknown option "--jsno". Did you mean "--json"? See curfew demo --help\n',
    ],
    [['demo', 'now'], 'curfew demo: unexpected argument "now". See curfew demo --help\n'],
    [['help', 'mcp', 'ad'], 'curfew mcp: unknown command "ad". Did you mean "add"? See curfew mcp --help\n'],
    [['help', 'demo', 'now'], 'curfew demo: unknown command "now". See curfew demo --help\n'],
    [
      ['What is this?'],
      `curfew: unknown command "What is this?". To ask a model, use -p: curfew -p '...'. See curfew --help\n`,
    ],
    [
      ['-p', 'two', 'words'],
      `curfew: unexpected argument "words". Put the prompt in quotes: curfew -p 'two words'. See curfew --help\n`,
    ],
    [
      ['--continue'],
      "curfew: expected -p PROMPT or a command. Example: curfew --continue -p 'What does this project do?'. See curfew --help\n",
    ],
    [
      ['--resume', 'k3f'],
      "curfew: expected -p PROMPT or a command. Example: curfew --resume k3f -p 'What does this project do?'. See curfew --help\n",
    ],
    [
      ['help', '-p'],
      'curfew help: unknown option "-p". curfew --help describes the options of curfew -p. See curfew help --help\n',
    ],
    [['new'], 'curfew new: expected a subcommand: script, api. See curfew new --help\n'],
    [
      ['secret', 'get', 'X'],
      expect.stringMatching(/^curfew secret: unknown command "get"\. Values are never printed/),
    ],
  ])('rejects %j with one line and exit code 2', async (args, stderr) => {
    expect(await runCurfew(args)).toEqual({ code: 2, stdout: '', stderr })
  })

  it.each([
    [['demo', '--help'], 'demo'],
    [['demo', '--json', '-h'], 'demo'],
    [['help', 'demo'], 'demo'],
    [['help', 'mcp', 'add'], 'mcp add'],
    [['mcp', 'add', '-h'], 'mcp add'],
    [['mcp', '--help'], 'mcp'],
    [['help', 'timeout'], 'timeout'],
    [['timeout', '--help'], 'timeout'],
  ])('%j prints the help for a command', async (args, name) => {
    const { code, stdout } = await runCurfew(args)
    expect(code).toBe(0)
    expect(stdout.split('\n', 1)[0]).toContain(`Usage: curfew ${name} `)
    expect(stdout).toMatch(/^ {2}-h, --help +Show this help$/m)
  })

  it('refers to guides that exist', async () => {
    const { stdout } = await runCurfew(['mcp', '--help'], {}, '/')
    const [, path] = /^ *(.+\/docs\/mcp\.md)$/m.exec(stdout) ?? expect.fail(stdout)
    expect(readFileSync(resolve('/', path!.replace(/^~/, homedir())), 'utf8')).toContain('# ')
  })

  it('reports an error that nothing has caught in one line, with how to fix it', async () => {
    const program = `setImmediate(() => { throw Object.assign(new Error('EMFILE: too many open files, open x'), { code: 'EMFILE' }) })`
    const { code, stderr } = await runCurfew(['tools'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}`,
    })
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'curfew: EMFILE: too many open files, open x; allow more of them: ulimit -n 1024\n',
    })
  })

  it('exits with 0 if its output is closed', async () => {
    const child = startCurfew(['--help'])
    child.stdout?.destroy()
    expect(await ending(child)).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})
