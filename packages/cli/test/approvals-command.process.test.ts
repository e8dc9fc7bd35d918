import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Ended, runCurfew } from './run-curfew.ts'

let home: string
let shop: string

beforeEach(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-approvals-'))
  shop = join(home, 'shop')
  mkdirSync(join(shop, '.curfew'), { recursive: true })
})

afterEach(() => rmSync(home, { recursive: true, force: true }))

const file = (): string => join(home, '.config', 'curfew', 'approvals.json')
const env = () => ({ HOME: home, XDG_CONFIG_HOME: '' })
const curfew = (args: string[], cwd = shop): Promise<Ended> => runCurfew(['approvals', ...args], env(), cwd)

const entry = (rule: string, addedAt = '2026-11-16T18:00:00.000Z') => ({ rule, addedAt })

function store(projects: Record<string, object[]>): void {
  mkdirSync(join(home, '.config', 'curfew'), { recursive: true })
  writeFileSync(file(), JSON.stringify({ projects }, null, 2))
}

const stored = (): Record<string, { rule: string }[]> => JSON.parse(readFileSync(file(), 'utf8')).projects

describe('curfew approvals', () => {
  it('lists the answers of this project', async () => {
    const gone = join(home, 'gone')
    store({
      [shop]: [entry('deploy(test)'), entry('write(src/*)', '2025-01-02T03:04:05Z')],
      [gone]: [entry('x')],
    })
    const below = join(shop, 'a', 'b')
    mkdirSync(below, { recursive: true })
    expect(await curfew([], below)).toEqual({
      code: 0,
      stdout: 'since       rule\n2026-11-16  deploy(test)\n2025-01-02  write(src/*)\n',
      stderr: '',
    })
    expect((await curfew([], home)).stdout).toBe(`no answers are remembered for ${home}\n`)
    expect((await curfew(['--folder', gone])).stdout).toBe('since       rule\n2026-11-16  x\n')
  })

  it('--all lists every project, also those that no longer exist', async () => {
    const gone = join(home, 'gone')
    store({ [shop]: [entry('a')], [gone]: [entry('b'), entry('c')] })
    expect((await curfew(['--all'])).stdout).toBe(
      `${gone} (does not exist)\n  2026-11-16  b\n  2026-11-16  c\n\n${shop}\n  2026-11-16  a\n`,
    )
  })

  it('--json prints one object', async () => {
    expect(JSON.parse((await curfew(['--json'])).stdout)).toEqual({
      projects: [{ project: shop, approvals: [] }],
    })
    store({ [shop]: [entry('a(\u202e)')], '/other': [entry('b')] })
    expect(JSON.parse((await curfew(['--json'])).stdout)).toEqual({
      projects: [{ project: shop, approvals: [entry('a(\u202e)')] }],
    })
    expect(JSON.parse((await curfew(['--all', '--json'])).stdout).projects).toHaveLength(2)
    rmSync(file())
    expect(JSON.parse((await curfew(['--all', '--json'])).stdout)).toEqual({ projects: [] })
  })

  it('without a file, lists nothing and creates none', async () => {
    expect((await curfew([])).stdout).toBe(`no answers are remembered for ${shop}\n`)
    expect((await curfew(['--all'])).stdout).toBe('no answers are remembered\n')
    expect((await curfew(['remove', '--all-rules'])).stdout).toBe(`removed 0 answers for ${shop}\n`)
    expect(readdirSync(home)).toEqual(['shop'])
  })

  it('shows line breaks and invisible characters as escapes', async () => {
    store({ [shop]: [entry('run(echo a\n\u202erm\u001b[2J)')] })
    const listed = 'run(echo a\\n\\u202erm\\u001b[2J)'
    expect((await curfew([])).stdout).toBe(`since       rule\n2026-11-16  ${listed}\n`)
    expect((await curfew(['remove', listed])).stdout).toBe(`removed ${listed}\n`)
    expect(stored()).toEqual({})
  })
})

describe('curfew approvals remove', () => {
  it('removes rules of this project only', async () => {
    store({ [shop]: [entry('a'), entry('b(*)'), entry('c')], '/other': [entry('a')] })
    expect(await curfew(['remove', 'a', 'b(*)'])).toEqual({
      code: 0,
      stdout: 'removed a\nremoved b(*)\n',
      stderr: '',
    })
    expect(stored()).toEqual({ [shop]: [entry('c')], '/other': [entry('a')] })
    expect((await curfew(['remove', '--all-rules'])).stdout).toBe(`removed 1 answer for ${shop}\n`)
    expect(stored()).toEqual({ '/other': [entry('a')] })
    expect((await curfew(['remove', 'a', '--folder', '/other'])).code).toBe(0)
    expect(stored()).toEqual({})
  })

  it.each<[string, string[], RegExp]>([
    [
      'an unknown rule',
      ['nope'],
      /no answer "nope" is remembered for .+shop; curfew approvals lists the rules$/,
    ],
    [
      'a similar rule',
      ['a', 'deploy(tset)'],
      /"deploy\(tset\)" is remembered for .+; did you mean deploy\(test\)\?$/,
    ],
    ['no rule', [], /expected either RULE or --all-rules$/],
    ['both', ['a', '--all-rules'], /expected either RULE or --all-rules$/],
  ])('%s is rejected in one line, and nothing is removed', async (_name, args, message) => {
    const before = { [shop]: [entry('a'), entry('deploy(test)')] }
    store(before)
    const ended = await curfew(['remove', ...args])
    expect(ended).toMatchObject({ code: 2, stdout: '' })
    expect(ended.stderr.trimEnd()).toMatch(message)
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stored()).toEqual(before)
  })

  it('several processes at the same time remove all of their rules', async () => {
    const rules = Array.from({ length: 6 }, (_, index) => `rule_${index}`)
    store({ [shop]: [entry('kept'), ...rules.map((rule) => entry(rule))] })
    const ended = await Promise.all(rules.map((rule) => curfew(['remove', rule])))
    expect(ended.map(({ code }) => code)).toEqual(rules.map(() => 0))
    expect(stored()).toEqual({ [shop]: [entry('kept')] })
  })
})

it('an invalid file is reported with its field and is not changed; other commands still work', async () => {
  store({ [shop]: [entry('a')] })
  writeFileSync(file(), readFileSync(file(), 'utf8').replace('"a"', '7'))
  const before = readFileSync(file(), 'utf8')
  for (const args of [[], ['--all'], ['remove', 'a'], ['remove', '--all-rules']]) {
    const ended = await curfew(args)
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toBe(
      `curfew: ${file()}: projects.${shop}[0].rule: must be string; repair or delete it\n`,
    )
  }
  expect(readFileSync(file(), 'utf8')).toBe(before)
  const tools = await runCurfew(['tools'], env(), shop)
  expect(tools.code).toBe(0)
  expect(tools.stderr).toContain(`error: ${file()}: projects.${shop}[0].rule: must be string`)
})
