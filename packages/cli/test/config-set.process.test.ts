import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Ended, runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home: string
let project: string

temporaryFolders((folders) => {
  home = folders.home
  project = folders.project
})

const run = (env: Record<string, string>, ...args: string[]): Promise<Ended> =>
  runCurfew(['config', ...args], { HOME: home, XDG_CONFIG_HOME: '', ...env }, project)
const config = (...args: string[]): Promise<Ended> => run({}, ...args)
const userFile = (): string => join(home, '.config/curfew/config.json')
const projectFile = (): string => join(project, '.curfew/config.json')
const read = (file = userFile()): string => readFileSync(file, 'utf8')

function write(text: string, file = userFile()): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

describe('curfew config set', () => {
  it('creates the file, and get, tools and unset use it', async () => {
    const key = 'tools.mcp__github__*.timeout'
    expect(await config('set', `${key}=5s`)).toEqual({
      code: 0,
      stdout: `set ${key} in ~/.config/curfew/config.json\n`,
      stderr: '',
    })
    expect(read()).toBe('{\n  "tools": {\n    "mcp__github__*": {\n      "timeout": "5s"\n    }\n  }\n}\n')
    expect(statSync(userFile()).mode & 0o777).toBe(0o600)
    expect(await config('get', key)).toEqual({ code: 0, stdout: '5s\n', stderr: '' })
    expect((await config()).stdout).toMatch(
      /^tools\.mcp__github__\*\.timeout +5 s +~\/\.config\/curfew\/config\.json$/m,
    )
    expect(await config('unset', key)).toMatchObject({ code: 0 })
    expect(read()).toBe('{}\n')
  })

  it('writes the settings of models, whose names may contain dots and colons', async () => {
    const model = 'openai-compatible:qwen3:4b'
    const args = [
      `model=${model}@http://127.0.0.1:8080/v1`,
      'fallbackModel=google:gemini-2.5-pro',
      'models.google:gemini-2.5-pro.price.input=1.25',
      'models."google:gemini-2.5-pro".price.output=10',
      `models.${model}.contextWindow=32768`,
      `models.${model}.key=LOCAL_KEY`,
    ]
    expect(await config('set', ...args)).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(read())).toEqual({
      model: `${model}@http://127.0.0.1:8080/v1`,
      fallbackModel: 'google:gemini-2.5-pro',
      models: {
        'google:gemini-2.5-pro': { price: { input: 1.25, output: 10 } },
        [model]: { contextWindow: 32_768, key: 'LOCAL_KEY' },
      },
    })
    expect((await config('get', 'models.google:gemini-2.5-pro.price.input')).stdout).toBe('1.25\n')
    expect((await config('get', 'models')).stdout).toMatch(
      /^models\.openai-compatible:qwen3:4b\.key +LOCAL_KEY/m,
    )
    for (const key of [
      'models.google:gemini-2.5-pro.price.input',
      `models.${model}`,
      'model',
      'fallbackModel',
    ])
      expect(await config('unset', key)).toMatchObject({ code: 0 })
    expect(JSON.parse(read())).toEqual({ models: { 'google:gemini-2.5-pro': { price: { output: 10 } } } })
  })

  it('keeps comments and formatting', async () => {
    write(`{
    // Slow machines.
    "toolCallTimeout": "2m", // two minutes
    "tools": {
        /* theirs */
        "mcp__*": { "readOnly": true }, // trusted
    },
    "approval": "ask",
}
`)
    const args = [
      'toolCallTimeout=90s',
      'tools.mcp__*.concurrent=true',
      'tools.mcp__*.readOnly=false',
      'tools."script_a.b".resources=["file:{path}"]',
      'approval.rules.deny=["*(rm *)"]',
      'limits.depth=3',
    ]
    expect(await config('set', ...args)).toMatchObject({ code: 0, stderr: '' })
    expect(read()).toBe(`{
    // Slow machines.
    "toolCallTimeout": "90s", // two minutes
    "tools": {
        /* theirs */
        "mcp__*": { "readOnly": false, "concurrent": true }, // trusted
        "script_a.b": {
            "resources": [
                "file:{path}"
            ]
        }
    },
    "approval": { "default": "ask", "rules": { "deny": ["*(rm *)"] } },
    "limits": {
        "depth": 3
    }
}
`)
  })

  it.each([
    ['tools.a.timout=5s', 'tools.a.timout: unknown setting; did you mean "timeout"?'],
    ['garce=5s', 'garce: unknown setting; did you mean "grace"?'],
    ['limits=5', 'limits: has several settings: limits.callsPerTurn'],
    ['tools.a.timeout=5', 'tools.a.timeout: expected a duration with a unit, got 5; write 5s or 5ms'],
    ['tools.a b.timeout=5s', 'expected the name of a tool, or a pattern with * or ?'],
    ['tools.a.readOnly=yes', 'tools.a.readOnly: expected true or false, got "yes"'],
    ['tools.a.resources=x', 'expected a JSON array of strings'],
    ['tools.a.resources=[1]', 'tools.a.resources[0]: must be string'],
    ['approval.rules.deny=rm', 'expected a JSON array, which replaces the whole list: ["rm"]'],
    ['concurrency=zero', 'concurrency: expected a number, got "zero"'],
    ['model=gpt-5', 'model: expected provider:name[@base-url]'],
    [
      'models=5',
      'expected models.PROVIDER:NAME.SETTING, as in models.google:gemini-pro-latest.contextWindow',
    ],
    ['models.gpt-5.key=A', 'expected provider:name, with one of the providers'],
    ['models.google:x.pirce.input=1', 'models.google:x.pirce.input: unknown setting'],
    ['models.google:x.price.input=cheap', 'models.google:x.price.input: expected a number, got "cheap"'],
    ['models.google:x.baseUrl=ftp://a.b', 'models.google:x.baseUrl: expected a URL that starts with http'],
    ['grace', 'grace: expected grace=VALUE, got grace'],
  ])('%s is an error, and the file is not changed, not even by the other settings', async (text, message) => {
    write('{ "grace": 7 }')
    const { code, stdout, stderr } = await config('set', 'view=full', text)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(read()).toBe('{ "grace": 7 }')
  })

  it.each([
    ['{ "grace": 5,, }', 'is not JSON'],
    ['[]', 'expected an object'],
    ['{ "tools": 5 }', 'tools is 5, so tools.a.timeout cannot be set; change or unset tools first'],
    ['{ "tools": { "a": [] } }', 'tools.a is [], so tools.a.timeout cannot be set'],
  ])('does not change an invalid file: %s', async (text, message) => {
    write(text)
    const { code, stderr } = await config('set', 'tools.a.timeout=5s')
    expect(code).toBe(2)
    expect(stderr).toContain(message)
    expect(read()).toBe(text)
  })

  it('does not change a read-only file', async () => {
    write('{ "grace": 7 }')
    chmodSync(userFile(), 0o400)
    for (const args of [
      ['set', 'grace=1s'],
      ['unset', 'grace'],
    ])
      expect(await config(...args)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('config.json: is read-only; nothing was written'),
      })
    expect(read()).toBe('{ "grace": 7 }')
  })

  it('needs at least one setting', async () => {
    expect(await config('set')).toMatchObject({ code: 2, stderr: expect.stringContaining('KEY=VALUE') })
    expect(await config('sett')).toMatchObject({ code: 2, stderr: expect.stringContaining('"set"?') })
  })

  it('--project writes to the project, but not what a project may not set', async () => {
    const set = (...args: string[]): Promise<Ended> => config('set', '--project', ...args)
    expect(await set('tools.script_*.timeout=1m')).toMatchObject({
      code: 0,
      stdout: 'set tools.script_*.timeout in .curfew/config.json\n',
    })
    const before = read(projectFile())
    for (const [text, message] of [
      ['tools.a.readOnly=true', 'tools.a.readOnly: a project can only set false, so it is ignored'],
      ['tools.a.approval=allow', 'a project can only set "ask" or "deny"'],
      ['approval=allow', '"allow" is looser than the default'],
      ['model=google:x@https://a.b/v1', 'model: a project cannot set a base URL'],
      ['models.google:x.key=A_KEY', 'models.google:x.key: only your own config.json can set this'],
    ]) {
      const { code, stderr } = await set('tools.b.timeout=5s', text!)
      expect([code, stderr]).toEqual([2, expect.stringContaining(message!)])
    }
    expect(read(projectFile())).toBe(before)
    expect(existsSync(userFile())).toBe(false)
    expect(await set('tools.a.readOnly=false', 'tools.a.approval=ask')).toMatchObject({ code: 0 })
    expect((await config('get', 'tools.a.approval')).stdout).toBe('ask\n')
  })

  it('neither creates nor trusts a project that it cannot write', async () => {
    const trusted = join(home, '.config/curfew/trusted.json')
    expect(await config('set', '--project', 'tools.a.readOnly=true')).toMatchObject({ code: 2 })
    expect(existsSync(dirname(projectFile()))).toBe(false)
    expect(JSON.parse(read(trusted))).toEqual({ trusted: [] })
    // Something that cannot become a folder, even for root.
    symlinkSync(join(home, 'nowhere'), dirname(projectFile()))
    for (const args of [['config', 'set', '--project', 'grace=100ms'], ['init'], ['new', 'script', 'a']]) {
      const ended = await runCurfew(args, { HOME: home, XDG_CONFIG_HOME: '' }, project)
      expect(ended.code).not.toBe(0)
    }
    expect(JSON.parse(read(trusted))).toEqual({ trusted: [] })
  })

  it('reports that a project is not trusted, and does not follow its links', async () => {
    write('{}', projectFile())
    const { stdout } = await config('set', '--project', 'grace=100ms')
    expect(stdout).toContain('this project is not trusted yet')
    const target = join(home, 'target.json')
    writeFileSync(target, '{}')
    const other = join(project, 'other')
    mkdirSync(join(other, '.curfew'), { recursive: true })
    symlinkSync(target, join(other, '.curfew/config.json'))
    for (const args of [
      ['set', 'grace=1s'],
      ['unset', 'grace'],
    ]) {
      const ended = await runCurfew(
        ['config', args[0]!, '--project', args[1]!],
        { HOME: home, XDG_CONFIG_HOME: '' },
        other,
      )
      expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('is a symbolic link') })
    }
    expect(readFileSync(target, 'utf8')).toBe('{}')
  })

  it('says so if another source takes precedence', async () => {
    const { stdout } = await run({ CURFEW_GRACE: '3s' }, 'set', 'grace=1s')
    expect(stdout).toContain('here, grace is 3s, because CURFEW_GRACE takes precedence\n')
  })

  it('handles the short forms of approval and loops', async () => {
    await config('set', 'approval=deny', 'loops=false')
    expect(JSON.parse(read())).toEqual({ approval: 'deny', loops: false })
    expect(await config('set', 'loops.nudgeAfter=2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('loops is false, so loops.nudgeAfter cannot be set'),
    })
    await config('set', 'loops=true', 'loops.nudgeAfter=2', 'approval.rules.allow=["a"]')
    await config('set', 'loops=true', 'approval=ask')
    expect(JSON.parse(read())).toEqual({
      approval: { default: 'ask', rules: { allow: ['a'] } },
      loops: { nudgeAfter: 2 },
    })
  })

  it('two processes that write at the same time lose nothing', async () => {
    const keys = Array.from({ length: 6 }, (_, index) => `tools.t${index}.timeout`)
    const ended = await Promise.all(keys.map((key) => config('set', `${key}=5s`)))
    expect(ended.map(({ code }) => code)).toEqual(keys.map(() => 0))
    expect(Object.keys(JSON.parse(read()).tools).sort()).toEqual(['t0', 't1', 't2', 't3', 't4', 't5'])
  })
})

describe('curfew config get', () => {
  it('prints effective values as set accepts them', async () => {
    write('{ "limits": { "depth": 3 }, "approval": { "rules": { "deny": ["a", "b(*)"] } }, "grace": 1500 }')
    const get = async (key: string): Promise<string> => (await config('get', key)).stdout
    expect(await get('limits.depth')).toBe('3\n')
    expect(await get('approval.rules.deny')).toBe('["a","b(*)"]\n')
    expect(await get('grace')).toBe('1500ms\n')
    expect(await get('loops')).toBe('true\n')
    expect(await get('approval')).toBe('ask\n')
    expect(await get('toolCallTimeout')).toBe('3m\n')
    expect(await get('timeouts.background')).toBe('8h\n')
    expect(await get('limits')).toMatch(/^limits\.callsPerTurn +1000 +default\nlimits\.depth +3 +~/)
    expect(JSON.parse((await config('get', '--json', 'limits.depth')).stdout)).toEqual({
      settings: [{ key: 'limits.depth', kind: 'count', value: 3, source: 'user', file: userFile() }],
      problems: [],
    })
  })

  it('reports what is not set, and what does not exist', async () => {
    expect((await config()).stdout).toMatch(/^queueTimeout +none +default$/m)
    const hint = '; curfew tools a.b shows what applies'
    for (const [key, end] of [
      ['queueTimeout', ''],
      ['tools', ''],
      ['tools.a*.timeout', ''],
      ['tools.a.b.timeout', hint],
      ['tools."a.b".timeout', hint],
    ])
      expect(await config('get', key!)).toEqual({ code: 1, stdout: '', stderr: `${key} is not set${end}\n` })
    expect(await config('get', 'garce')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('garce: unknown setting; did you mean "grace"?'),
    })
  })
})

describe('curfew config unset', () => {
  it('removes a setting, an entry or a group, and groups that become empty', async () => {
    write(`{
  "tools": {
    // a
    "a.b": { "timeout": "5s", "readOnly": true },
    "c": { "timeout": "1s" },
    "d": { "timeout": "1s" }
  },
  "approval": { "rules": { "deny": ["x"] } },
  "limits": { "depth": 3 }, // deep
  "misspelt": 1,
  "grace": 1
}
`)
    for (const key of ['tools.a.b.timeout', 'tools.c', 'approval.rules.deny', 'limits', 'misspelt'])
      expect(await config('unset', key)).toEqual({
        code: 0,
        stdout: `removed ${key} from ~/.config/curfew/config.json\n`,
        stderr: '',
      })
    expect(read()).toBe(`{
  "tools": {
    // a
    "a.b": { "readOnly": true },
    "d": { "timeout": "1s" }
  },
  "grace": 1
}
`)
    expect(await config('unset', 'tools."a.b"', 'tools.d.timeout')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^removed tools\."a\.b" from .*\nremoved tools\.d\.timeout from .*\n$/),
    })
    expect(read()).toContain('// a')
  })

  it('reports what is not set there, and leaves the file alone', async () => {
    write('{ "grace": 1 }')
    for (const [key, message] of [
      ['view', 'view: is not set in '],
      ['tools.a', 'tools.a: is not set in '],
      ['veiw', 'veiw: unknown setting; did you mean "view"?'],
      ['__proto__', 'unknown setting'],
      ['.', 'unknown setting'],
    ])
      expect(await config('unset', key!)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(message!),
      })
    expect(await config('unset', '--project', 'grace')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('found no .curfew'),
    })
    expect(await config('unset', 'grace', 'view')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('view: is not set in '),
    })
    expect(read()).toBe('{ "grace": 1 }')
  })

  it('removes every occurrence of a key that the file repeats', async () => {
    write('{ "grace": 1, "view": "full", "grace": 2 }')
    expect(await config('unset', 'grace')).toMatchObject({ code: 0 })
    expect(JSON.parse(read())).toEqual({ view: 'full' })
  })
})
