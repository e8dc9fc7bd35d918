import { spawn } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Answer, createRuntime, defineTool, type Runtime } from '@curfew/core'
import { formatProblem, loadConfig, loadExtensions } from '@curfew/extensions'
import { approvalsFile, readApprovals, removeApprovals } from '@curfew/extensions/internal'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'

let folder: string
let shop: string
const runtimes: Runtime[] = []

beforeEach(() => {
  folder = mkdtempSync(join(realpathSync(tmpdir()), 'curfew-approvals-'))
  shop = newProject('shop')
})

afterEach(async () => {
  for (const runtime of runtimes.splice(0)) await runtime.close()
  rmSync(folder, { recursive: true, force: true })
})

const file = (): string => approvalsFile(join(folder, '.config', 'curfew'))
const env = () => ({ HOME: folder })
const storedRules = (project: string): string[] | undefined =>
  readApprovals(file())
    .get(project)
    ?.map(({ rule }) => rule)

function newProject(name: string): string {
  const path = join(folder, name)
  mkdirSync(join(path, '.curfew'), { recursive: true })
  return path
}

function write(text: string): void {
  mkdirSync(join(folder, '.config', 'curfew'), { recursive: true })
  writeFileSync(file(), text)
}

const entry = (rule: string) => ({ rule, addedAt: '2026-11-16T18:00:00.000Z' })

/** A program that uses the configuration of a folder. `asked` counts its questions. */
async function start(cwd: string, answer: Answer = 'no', rules: object = {}) {
  const { options, problems } = await loadConfig({ cwd, env: env() })
  const log: string[] = []
  let asked = 0
  const runtime = createRuntime({
    ...options,
    approval: { ...options.approval, rules: { ...options.approval.rules, ...rules } },
    ask: () => {
      asked++
      return answer
    },
    log: ({ message, error }) => log.push(error === undefined ? message : `${message}: ${String(error)}`),
  })
  runtimes.push(runtime)
  runtime.register(
    defineTool({
      name: 'deploy',
      description: 'Deploy to a server.',
      parameters: { type: 'object', properties: { to: { type: 'string' } } },
      execute: () => 'deployed',
    }),
  )
  let calls = 0
  const deploy = async (to: string): Promise<string> => {
    const [result] = await runtime.execute([{ id: `${++calls}`, name: 'deploy', params: { to } }])
    return result!.status === 'success' ? 'ran' : result!.code
  }
  const found = problems.filter((problem) => problem.file === file()).map(formatProblem)
  return { runtime, deploy, log, problems: found, asked: () => asked }
}

/** `remember` writes in the background. */
async function untilStored(project: string, count: number): Promise<void> {
  await expect.poll(() => storedRules(project)?.length, { timeout: 20_000 }).toBe(count)
}

describe('"always"', () => {
  test('is remembered by the next program in this project, and only there', async () => {
    const first = await start(shop, 'always')
    expect(await first.deploy('test')).toBe('ran')
    await untilStored(shop, 1)
    const next = await start(join(shop, '.curfew'))
    expect(await next.deploy('test')).toBe('ran')
    expect(next.asked()).toBe(0)
    expect(await next.deploy('production')).toBe('DENIED')
    const other = await start(newProject('other'))
    expect(await other.deploy('test')).toBe('DENIED')
    expect(other.asked()).toBe(1)
    expect(next.runtime.rules.list()).toEqual([
      { verdict: 'allow', rule: 'deploy(test)', source: 'remembered' },
    ])
    expect(other.runtime.rules.list()).toEqual([])
  })

  test("is stored in the user's folder with owner permissions, and nothing in the project", async () => {
    await (await start(shop, 'always')).deploy('test')
    await untilStored(shop, 1)
    expect(readdirSync(shop, { recursive: true })).toEqual(['.curfew'])
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file(), 'utf8'))).toEqual({
      projects: {
        [shop]: [{ rule: 'deploy(test)', addedAt: expect.stringMatching(/^\d{4}-.+Z$/) }],
      },
    })
  })

  test('answers an ask rule, but neither a deny rule nor a default of deny', async () => {
    write(JSON.stringify({ projects: { [shop]: [entry('deploy')] } }))
    expect(await (await start(shop, 'no', { ask: ['deploy'] })).deploy('test')).toBe('ran')
    expect(await (await start(shop, 'no', { deny: ['deploy'] })).deploy('test')).toBe('DENIED')
    writeFileSync(join(folder, '.config', 'curfew', 'config.json'), '{ "approval": "deny" }')
    expect(await (await start(shop)).deploy('test')).toBe('DENIED')
  })

  test('loadExtensions includes the answers', async () => {
    write(JSON.stringify({ projects: { [shop]: [entry('deploy')] } }))
    const { options } = await loadExtensions({ cwd: shop, env: env() })
    expect(options.approval).toMatchObject({
      rules: { remembered: ['deploy'] },
      remember: expect.any(Function),
    })
  })

  test('a secret in the arguments is not stored', async () => {
    const { runtime, deploy } = await start(shop, 'always')
    runtime.hideSecret('KEY', 'correct-horse-battery')
    expect(await deploy('correct-horse-battery')).toBe('ran')
    expect(await deploy('test')).toBe('ran')
    await untilStored(shop, 1)
    expect(readFileSync(file(), 'utf8')).not.toContain('correct-horse')
  })

  test('a rule that is too long applies to this program and is reported', async () => {
    const { deploy, log, asked } = await start(shop, 'always')
    expect(await deploy('x'.repeat(5_000))).toBe('ran')
    expect(await deploy('x'.repeat(5_000))).toBe('ran')
    expect(asked()).toBe(1)
    expect(log.join()).toMatch(/could not be stored.+rule: expected at most 4096 characters, got 5008/)
    expect(readApprovals(file()).size).toBe(0)
  })
})

describe('the project', () => {
  test('is the folder with .curfew, also through a symbolic link, and otherwise the working directory', async () => {
    const plain = join(folder, 'plain')
    mkdirSync(join(plain, 'below'), { recursive: true })
    symlinkSync(shop, join(folder, 'link'))
    write(JSON.stringify({ projects: { [shop]: [entry('deploy')], [plain]: [entry('deploy(a)')] } }))
    expect(await (await start(join(folder, 'link'))).deploy('a')).toBe('ran')
    expect(await (await start(plain)).deploy('a')).toBe('ran')
    expect(await (await start(join(plain, 'below'))).deploy('a')).toBe('DENIED')
  })

  test('that links to the .curfew of another one does not get its answers', async () => {
    write(JSON.stringify({ projects: { [shop]: [entry('deploy')] } }))
    const hostile = join(folder, 'hostile')
    mkdirSync(hostile)
    symlinkSync(join(shop, '.curfew'), join(hostile, '.curfew'))
    expect(await (await start(hostile)).deploy('a')).toBe('DENIED')
  })

  test('that was moved is asked again', async () => {
    write(JSON.stringify({ projects: { [shop]: [entry('deploy')] } }))
    renameSync(shop, join(folder, 'moved'))
    expect(await (await start(join(folder, 'moved'))).deploy('a')).toBe('DENIED')
  })

  test.each(['__proto__', 'constructor'])('a folder named %s is an ordinary project', async (name) => {
    const project = newProject(name)
    await (await start(project, { answer: 'always', rule: '*' })).deploy('a')
    await untilStored(project, 1)
    expect(await (await start(project)).deploy('b')).toBe('ran')
    expect(await (await start(shop)).deploy('b')).toBe('DENIED')
  })
})

describe('changes by several processes', () => {
  test('are all kept', async () => {
    const other = newProject('other')
    const run = (cwd: string, rules: string[]): Promise<number | null> => {
      const program = fileURLToPath(new URL('./fixtures/remember-answers.js', import.meta.url))
      const child = spawn(process.execPath, [program, ...rules], {
        cwd,
        env: { ...process.env, XDG_CONFIG_HOME: '', ...env() },
        stdio: 'inherit',
      })
      return new Promise((resolve) => child.once('close', resolve))
    }
    const rules = (of: string): string[] => Array.from({ length: 15 }, (_, index) => `${of}(${index})`)
    const codes = await Promise.all([
      run(shop, rules('a')),
      run(shop, rules('b')),
      run(shop, rules('a')),
      run(other, rules('c')),
    ])
    expect(codes).toEqual([0, 0, 0, 0])
    expect(storedRules(shop)?.toSorted()).toEqual([...rules('a'), ...rules('b')].toSorted())
    expect(storedRules(other)).toEqual(rules('c'))
    expect(readdirSync(join(folder, '.config', 'curfew'))).toEqual(['approvals.json'])
  })

  test('a removal applies to a program that is running; another "always" applies again', async () => {
    const { runtime, deploy, asked } = await start(shop, 'always')
    expect([await deploy('a'), await deploy('b')]).toEqual(['ran', 'ran'])
    await untilStored(shop, 2)
    expect([await deploy('a'), asked()]).toEqual(['ran', 2])
    expect(await removeApprovals(file(), shop, ['deploy(a)'])).toEqual(['deploy(a)'])
    expect(runtime.rules.list().map(({ rule }) => rule)).toEqual(['deploy(b)'])
    expect([await deploy('b'), asked()]).toEqual(['ran', 2])
    expect([await deploy('a'), asked()]).toEqual(['ran', 3])
    expect([await deploy('a'), asked()]).toEqual(['ran', 3])
    await untilStored(shop, 2)
    expect(await removeApprovals(file(), shop, 'all')).toHaveLength(2)
    expect([await deploy('b'), asked()]).toEqual(['ran', 4])
  })

  test('deleting the file, or making it invalid, removes the answers from a program that is running', async () => {
    write(JSON.stringify({ projects: { [shop]: [entry('deploy')] } }))
    const { deploy } = await start(shop)
    expect(await deploy('a')).toBe('ran')
    write('{')
    expect(await deploy('a')).toBe('DENIED')
    rmSync(file())
    expect(await deploy('a')).toBe('DENIED')
  })

  test('runtime.rules.remove removes an answer from the file', async () => {
    write(JSON.stringify({ projects: { [shop]: [entry('deploy'), entry('other')] } }))
    const { runtime } = await start(shop)
    expect(runtime.rules.remove('allow', 'deploy')).toBe(true)
    await untilStored(shop, 1)
    expect(storedRules(shop)).toEqual(['other'])
  })
})

describe('approvals.json', () => {
  test('keeps comments, unknown fields and other projects', async () => {
    const text = `{
  // Mine
  "version": 7,
  "projects": {
    "/elsewhere": [{ "rule": "x", "addedAt": "2026-11-16T18:00:00.000Z" }], // there
    ${JSON.stringify(shop)}: [
      // The first one
      { "rule": "a", "addedAt": "2026-11-16T18:00:00.000Z", "note": "kept" },
      { "rule": "b", "addedAt": "2026-11-16T18:00:00.000Z" }, // the second one
    ],
  },
}
`
    write(text)
    const { options } = await loadConfig({ cwd: shop, env: env() })
    await options.approval.remember!('c')
    expect(storedRules(shop)).toEqual(['a', 'b', 'c'])
    expect(await removeApprovals(file(), shop, ['b', 'nope'])).toEqual(['b'])
    expect(storedRules(shop)).toEqual(['a', 'c'])
    const changed = readFileSync(file(), 'utf8')
    for (const kept of ['// Mine', '"version": 7', '// there', '// The first one', '"note": "kept"'])
      expect(changed).toContain(kept)
    expect(await removeApprovals(file(), shop, 'all')).toEqual(['a', 'c'])
    expect([...readApprovals(file()).keys()]).toEqual(['/elsewhere'])
  })

  test('may lack the list of projects', async () => {
    write('{}')
    const { options } = await loadConfig({ cwd: shop, env: env() })
    await options.approval.remember!('a')
    expect(storedRules(shop)).toEqual(['a'])
  })

  test('removing from a file that does not exist creates none', async () => {
    expect(await removeApprovals(file(), shop, 'all')).toEqual([])
    expect(readdirSync(folder)).toEqual(['shop'])
  })

  const at = '2026-11-16T18:00:00.000Z'
  test.each<[string, string, RegExp]>([
    ['not JSON', '{', /is not JSON: line 1, column 2: .+; repair or delete it$/],
    ['empty', '', /is not JSON: .+expected a value/],
    ['an array', '[]', /must be object; repair or delete it$/],
    ['wrong types', '{"projects": 7}', /projects: must be object/],
    ['a list of strings', '{"projects": {"/a": ["deploy"]}}', /projects\.\/a\[0\]: must be object/],
    [
      'a rule that is none',
      `{"projects": {"/a": [{"rule": "a b", "addedAt": "${at}"}]}}`,
      /\[0\]\.rule: must match/,
    ],
    [
      'a rule that is a number',
      `{"projects": {"/a": [{"rule": 7, "addedAt": "${at}"}]}}`,
      /\[0\]\.rule: must be string/,
    ],
    ['no date', '{"projects": {"/a": [{"rule": "a"}]}}', /\[0\]\.addedAt: is required/],
    ['a date that is none', '{"projects": {"/a": [{"rule": "a", "addedAt": "now"}]}}', /addedAt: must match/],
    ['a duplicate key', '{"projects": {"/a": [], "/a": []}}', /projects\.\/a: duplicate key in line 1/],
    ['a prototype', '{"projects": {"__proto__": {"/a": 1}}}', /projects\.__proto__: must be array/],
    ['too deep', `{"projects": ${'['.repeat(20_000)}${']'.repeat(20_000)}}`, /nested more than 200 levels/],
    ['too large', `{"projects": {}}${' '.repeat(1 << 20)}`, /expected at most 1048576 bytes, got 1048592/],
    [
      'too many rules',
      JSON.stringify({ projects: { '/a': Array.from({ length: 501 }, (_, index) => entry(`r${index}`)) } }),
      /projects\.\/a: must NOT have more than 500 items/,
    ],
    [
      'a rule that is too long',
      JSON.stringify({ projects: { '/a': [entry('x'.repeat(4_097))] } }),
      /\[0\]\.rule: must NOT have more than 4096 characters/,
    ],
  ])('that is %s is reported, not used and not changed', async (_name, text, message) => {
    write(text.replaceAll('"/a"', JSON.stringify(shop)))
    const before = readFileSync(file(), 'utf8')
    const { problems, deploy, log } = await start(shop, 'always')
    expect(problems).toHaveLength(1)
    expect(problems[0]!.replaceAll(shop, '/a')).toMatch(message)
    expect(await deploy('a')).toBe('ran')
    await expect.poll(() => log.join(), { timeout: 20_000 }).toContain('could not be stored')
    await expect(removeApprovals(file(), shop, 'all')).rejects.toThrow('repair or delete it')
    expect(readFileSync(file(), 'utf8')).toBe(before)
  })

  test('with any content results in usable options, or in one problem and no answers', async () => {
    const rule = fc.oneof(fc.constantFrom('deploy', 'a(b)', '*'), fc.string())
    const approval = fc.record({ rule, addedAt: fc.constantFrom(at, 'now') }, { requiredKeys: [] })
    const list = fc.oneof(fc.array(fc.oneof(approval, fc.jsonValue())), fc.jsonValue())
    const projects = fc.dictionary(fc.constantFrom(shop, '/other', '__proto__'), list)
    const document = fc.oneof(
      fc.record({ projects }),
      fc.jsonValue(),
      fc.record({ projects: fc.jsonValue() }),
    )
    await fc.assert(
      fc.asyncProperty(document, async (content) => {
        write(JSON.stringify(content))
        const { options, problems } = await loadConfig({ cwd: shop, env: env() })
        await createRuntime({ ...options, log: () => {} }).close()
        const found = problems.filter((problem) => problem.file === file())
        expect(found.length).toBeLessThanOrEqual(1)
        if (found.length === 1) expect(options.approval.rules.remembered).toBeUndefined()
        expect(readFileSync(file(), 'utf8')).toBe(JSON.stringify(content))
      }),
      { numRuns: scaled(100) },
    )
  })

  test('that is not UTF-8, or a folder, is reported', async () => {
    write('')
    writeFileSync(file(), Buffer.from([0x7b, 0xff, 0x7d]))
    expect((await start(shop)).problems.join()).toMatch(/not encoded as UTF-8/)
    rmSync(file())
    mkdirSync(file())
    expect((await start(shop)).problems.join()).toMatch(/is not a file/)
  })

  test('that is full rejects another answer and keeps the others', async () => {
    const many = Array.from({ length: 500 }, (_, index) => entry(`r${index}`))
    write(JSON.stringify({ projects: { [shop]: many } }))
    const { options } = await loadConfig({ cwd: shop, env: env() })
    await expect(options.approval.remember!('one_more')).rejects.toThrow(
      /500 answers are stored for .+; remove some with curfew approvals remove/,
    )
    expect(storedRules(shop)).toHaveLength(500)
    await expect(options.approval.remember!('not a rule')).rejects.toThrow(/^rule: expected a rule/)
  })
})
