import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ending, runCurfew, startCurfew } from './run-curfew.ts'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

describe('curfew', () => {
  it.each([[[]], [['--help']], [['-h']], [['help']]])('%j prints the help', async (args) => {
    const { code, stdout, stderr } = await runCurfew(args)
    expect(code).toBe(0)
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^curfew: .+every call ends/)
    expect(stdout).toMatch(/^ {2}demo +\w+/m)
    expect(stdout).toContain('--version')
  })

  it('fits every help into 80 columns', async () => {
    const { stdout } = await runCurfew(['--help'])
    const names = [...stdout.matchAll(/^ {2}([a-z]+) {2,}/gm)].map(([, name]) => name!)
    expect(names).toEqual(expect.arrayContaining(['call', 'secret', 'timeout']))
    const texts = await Promise.all(names.map(async (name) => (await runCurfew([name, '--help'])).stdout))
    const lines = [stdout, ...texts].flatMap((text) => text.split('\n'))
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it.each(['--version', '-v'])('%s prints the version', async (option) => {
    expect(await runCurfew([option])).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
  })

  it.each([
    ['foo', 'curfew: there is no command "foo"; curfew --help lists them\n'],
    ['dmeo', 'curfew: there is no command "dmeo"; did you mean "demo"? curfew --help lists them\n'],
    ['constructor', 'curfew: there is no command "constructor"; curfew --help lists them\n'],
    [
      '--verison',
      'curfew: there is no option "--verison"; did you mean "--version"? curfew --help lists them\n',
    ],
  ])('%s is unknown: one line and exit 2', async (name, stderr) => {
    expect(await runCurfew([name])).toEqual({ code: 2, stdout: '', stderr })
  })

  it.each([[['demo', '--help']], [['demo', '--json', '-h']], [['help', 'demo']]])(
    '%j prints the help of the command',
    async (args) => {
      const { code, stdout } = await runCurfew(args)
      expect(code).toBe(0)
      expect(stdout).toMatch(/^curfew demo: /)
      expect(stdout).toContain('--json')
    },
  )

  it.each([
    [['--jsno'], 'there is no option "--jsno"; did you mean "--json"? '],
    [['-x'], 'there is no option "-x"; '],
    [['--json=5'], "Option '--json' does not take an argument; "],
    [['now'], 'it takes no argument "now"; '],
  ])('demo %j is refused: one line and exit 2', async (args, problem) => {
    const stderr = `curfew demo: ${problem}curfew demo --help lists what it takes\n`
    expect(await runCurfew(['demo', ...args])).toEqual({ code: 2, stdout: '', stderr })
  })

  it('does not mind that nobody reads its output', async () => {
    const child = startCurfew(['--help'])
    child.stdout?.destroy()
    expect(await ending(child)).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})
