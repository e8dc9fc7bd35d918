import { chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ReviewHome } from './review-support.ts'

let home: ReviewHome

beforeEach(() => {
  home = new ReviewHome(mkdtempSync(join(realpathSync(tmpdir()), 'curfew-home-')))
})

afterEach(() => rmSync(home.path, { recursive: true, force: true }))

const contentOf = (path: string): string => readFileSync(join(home.path, path), 'utf8')

/** Has bold words, a required parameter with a default, and an array on one line. */
const fixable = `{
    "description": "Get the **current** weather of a city.",
    "parameters": {
        "type": "object",
        "properties": {
            "city": { "type": "string", "description": "The name of the city.", "default": "Oslo" }
        },
        "required": ["city"],
        "additionalProperties": false
    }
}
`

describe('--fix', () => {
  it('applies safe fixes, changes nothing else, and reports what it fixed', async () => {
    home.file('get_weather/tool.json', fixable)
    chmodSync(join(home.path, 'get_weather/tool.json'), 0o640)
    const { code, stdout } = await home.review('get_weather', '--fix')
    expect(stdout).toMatch(
      /^fixed description-markdown of script_get_weather in get_weather\/tool\.json\n {2}\+ Get the current/m,
    )
    expect(stdout).toMatch(/^fixed required-default of script_get_weather/m)
    expect(code).toBe(0)
    const fixed = contentOf('get_weather/tool.json')
    expect(JSON.parse(fixed)).toEqual({
      description: 'Get the current weather of a city.',
      parameters: {
        type: 'object',
        properties: { city: { type: 'string', description: 'The name of the city.', default: 'Oslo' } },
        additionalProperties: false,
      },
    })
    const untouched = fixable.split('\n').filter((line) => !/\*\*|required/.test(line))
    expect(fixed.split('\n')).toEqual(expect.arrayContaining(untouched))
    expect(statSync(join(home.path, 'get_weather/tool.json')).mode & 0o777).toBe(0o640)
    expect((await home.review('get_weather', '--fix')).stdout).toMatch(/^nothing to fix/)
  })

  it.each([
    [
      'an object whose default has additional properties',
      { type: 'object', properties: {}, default: { more: 1 } },
    ],
    [
      'branches that share a default',
      {
        default: { a: 'x', b: 'y' },
        anyOf: [
          { type: 'object', properties: { a: { type: 'string' } } },
          { type: 'object', properties: { b: { type: 'string' } } },
        ],
      },
    ],
    ['a number that would lose precision', { type: 'integer', default: '12345678901234567890' }],
    ['a string bound, which numbers satisfy', { minLength: 1, default: 'x' }],
  ])('does not break calls that worked: %s', async (_, schema) => {
    const parameters = {
      type: 'object',
      properties: { v: { description: 'The value.', ...schema } },
      additionalProperties: false,
    }
    const tool = JSON.stringify({ description: 'Show **the** options.', parameters })
    home.file('show_options/tool.json', tool)
    const { stdout } = await home.review('show_options', '--fix', '--json')
    expect(JSON.parse(stdout).fixed).toMatchObject([{ rule: 'description-markdown' }])
    expect(JSON.parse(contentOf('show_options/tool.json')).parameters).toEqual(parameters)
  })

  it('makes the changes that the report proposes', async () => {
    home.file('get_weather/tool.json', fixable)
    const { tools } = JSON.parse((await home.review('get_weather', '--json')).stdout)
    const { fixed } = JSON.parse((await home.review('get_weather', '--fix', '--json')).stdout)
    const proposed = tools[0].findings.filter((finding: { fixable: boolean }) => finding.fixable)
    const rewritesOf = (list: { rewrite: string }[]): string[] => list.map(({ rewrite }) => rewrite).sort()
    expect(rewritesOf(fixed)).toEqual(rewritesOf(proposed))
    expect(rewritesOf(fixed)).toEqual(['Get the current weather of a city.', 'remove "required"'])
  })

  it('fixes every place of a finding', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [
        `p${index}`,
        { type: 'object', description: 'A group.', properties: { a: { type: 'integer', default: '5' } } },
      ]),
    )
    home.file('get_weather/tool.json', { description: 'Get it.', parameters: { type: 'object', properties } })
    await home.review('get_weather', '--fix')
    expect(contentOf('get_weather/tool.json')).not.toContain('"5"')
  })

  it('keeps a byte order mark', async () => {
    home.file('get_weather/tool.json', `\uFEFF${fixable}`)
    await home.review('get_weather', '--fix')
    expect(contentOf('get_weather/tool.json')).toMatch(
      /^\uFEFF\{\n {4}"description": "Get the current weather/,
    )
  })

  it('keeps comments and trailing commas', async () => {
    const commented = fixable
      .replace('"description": "Get', '// Shown to the model.\n    "description": "Get')
      .replace('"required": ["city"],', '"required": ["city"], // for now')
      .replace('"additionalProperties": false', '/* closed */ "additionalProperties": false,')
    home.file('get_weather/tool.json', commented)
    const { code, stdout } = await home.review('get_weather', '--fix')
    expect(stdout).toMatch(/^fixed description-markdown of script_get_weather/m)
    expect(code).toBe(0)
    expect(contentOf('get_weather/tool.json')).toBe(
      commented.replace('**current**', 'current').replace('"required": ["city"], // for now\n        ', ''),
    )
  })

  it('locates findings in a file with comments', async () => {
    home.file('get_weather/tool.json', `// A comment\n/* and\nanother */\n${fixable}`)
    const { stdout } = await home.review('get_weather', '--json')
    expect(JSON.parse(stdout).tools[0].findings).toMatchObject([
      { rule: 'description-markdown', line: 5 },
      { rule: 'required-default', line: 9 },
    ])
  })

  it('reports duplicate keys', async () => {
    home.file('get_weather/tool.json', fixable.replace('{', '{\n    "description": "Get it.",'))
    const { stderr } = await home.review('get_weather')
    expect(stderr).toMatch(/tool\.json: description: line 3, column 5: duplicate key/)
  })

  it('fixes an API file through a symbolic link', async () => {
    const api = {
      description: 'Get the **current** weather of a city.',
      endpoint: { url: 'https://api.example.com/{city}' },
      parameters: { city: { type: 'string', description: 'The name of the city.' } },
    }
    home.file('elsewhere.json', api)
    home.file('apis/other.txt', '')
    symlinkSync(join(home.path, 'elsewhere.json'), join(home.path, 'apis/get_weather.json'))
    const { stdout } = await home.review('apis', '--fix', '--json')
    expect(JSON.parse(stdout).fixed).toMatchObject([
      { tool: 'api_get_weather', rule: 'description-markdown' },
    ])
    expect(JSON.parse(contentOf('elsewhere.json')).description).toBe('Get the current weather of a city.')
  })

  it('does not change a read-only file, and reports it', async () => {
    home.file('get_weather/tool.json', fixable)
    chmodSync(join(home.path, 'get_weather/tool.json'), 0o444)
    const { code, stderr } = await home.review('get_weather', '--fix')
    expect(stderr).toMatch(/tool\.json cannot be written: it is read-only$/m)
    expect(code).toBe(2)
    expect(contentOf('get_weather/tool.json')).toBe(fixable)
  })

  it('reports the remaining findings if only some files could be changed', async () => {
    home.file('tools/get_weather/tool.json', fixable)
    home.file('tools/get_climate/tool.json', fixable)
    chmodSync(join(home.path, 'tools/get_weather/tool.json'), 0o444)
    const { code, stdout } = await home.review('tools', '--fix', '--json')
    const { tools, fixed } = JSON.parse(stdout)
    expect(code).toBe(2)
    const fixableIn = (name: string) =>
      tools
        .find((tool: { name: string }) => tool.name === name)
        .findings.filter((finding: { fixable: boolean }) => finding.fixable)
    expect(fixed.map(({ tool }: { tool: string }) => tool)).toContain('script_get_climate')
    expect(fixableIn('script_get_climate')).toEqual([])
    expect(fixableIn('script_get_weather')).not.toEqual([])
  })

  it('changes neither lists of tools nor suppressed findings', async () => {
    const list = JSON.stringify([
      { name: 'get_weather', description: 'Get **it**.', inputSchema: { type: 'object' } },
    ])
    home.file('list.json', list)
    await home.review('list.json', '--fix')
    expect(contentOf('list.json')).toBe(list)
    const review = { ignore: [{ rule: 'description-markdown', reason: 'it is a name' }] }
    home.file('get_weather/tool.json', { ...JSON.parse(fixable), review, parameters: { type: 'object' } })
    await home.review('get_weather', '--fix')
    expect(JSON.parse(contentOf('get_weather/tool.json')).description).toContain('**')
  })
})

describe('suppressions', () => {
  it('shows suppressed errors without --all, too', async () => {
    const ignore = [{ rule: 'annotation-contradiction', reason: 'trust me' }]
    home.file('list.json', [
      {
        name: 'run_command',
        description: 'Run a command in the folder of the project, with a limit of one minute.',
        inputSchema: { type: 'object', additionalProperties: false },
        annotations: { readOnlyHint: true },
        _meta: { 'curfew/review': { ignore } },
      },
    ])
    expect((await home.review('list.json')).stdout).toContain('suppressed annotation-contradiction: trust me')
    const { stdout } = await home.review('list.json', '--markdown')
    expect(stdout).toMatch(
      /^- `run_command`: suppressed `annotation-contradiction`: readOnlyHint is true.*\n {2}\(trust me\)$/m,
    )
  })

  const bold = { ...JSON.parse(fixable), parameters: { type: 'object', additionalProperties: false } }
  const withReview = (...ignore: unknown[]): void =>
    home.file('get_weather/tool.json', { ...bold, review: { ignore } })

  it('counts a finding suppressed with a reason, without a warning about the field', async () => {
    withReview({ rule: 'description-markdown', reason: 'it is a name' })
    const { code, stdout, stderr } = await home.review('get_weather', '--all')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('suppressed description-markdown: it is a name')
    expect(stdout).toMatch(/no findings; 1 suppressed$/m)
  })

  it('reports suppressions without a reason or of an unknown rule, with their line', async () => {
    withReview({ rule: 'description-markdown' }, { rule: 'description-markdwon', reason: 'x' })
    const { code, stdout } = await home.review('get_weather', '--json', '--fail-on', 'warning')
    expect(code).toBe(1)
    const { findings } = JSON.parse(stdout).tools[0]
    expect(findings).toEqual([
      expect.objectContaining({ rule: 'suppression', line: 9, pointer: '/review/ignore/0' }),
      expect.objectContaining({
        rule: 'suppression',
        line: 13,
        message: expect.stringContaining('did you mean description-markdown?'),
      }),
      expect.objectContaining({ rule: 'description-markdown' }),
    ])
  })

  it('reports an invalid review field without rejecting the tool', async () => {
    home.file('get_weather/tool.json', { ...bold, review: 'no' })
    const { code, stdout, stderr } = await home.review('get_weather', '--fail-on', 'warning')
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toContain('warning suppression')
  })

  it('reads suppressions from _meta in a list of tools', async () => {
    const ignore = [{ rule: 'description-markdown', reason: 'it is a name' }]
    const inputSchema = { type: 'object', additionalProperties: false }
    const description = 'Get the **current** weather of a city.'
    home.file('list.json', [
      { name: 'get_weather', description, inputSchema, _meta: { 'curfew/review': { ignore } } },
    ])
    expect((await home.review('list.json')).stdout).toMatch(/no findings; 1 suppressed$/m)
  })
})

describe('--baseline', () => {
  it('fails only on new findings, and reports entries that were not found', async () => {
    home.file('get_weather/tool.json', fixable)
    const missing = await home.review('get_weather', '--baseline', 'known.json')
    expect(missing).toMatchObject({ code: 2, stdout: '' })
    expect(missing.stderr).toContain('known.json does not exist; create it with --write-baseline')

    const written = await home.review('get_weather', '--baseline', 'known.json', '--write-baseline')
    expect(written).toMatchObject({ code: 0, stderr: expect.stringMatching(/known\.json .*2 findings/) })
    const { version, findings } = JSON.parse(contentOf('known.json'))
    expect(version).toBe(1)
    expect(findings[0]).toEqual({
      tool: 'script_get_weather',
      rule: 'description-markdown',
      pointer: '/description',
    })

    const known = await home.review('get_weather', '--baseline', 'known.json')
    expect(known.code).toBe(0)
    expect(known.stdout).toMatch(/no findings; 2 in the baseline$/m)

    const changed = fixable
      .replace('**current**', 'current')
      .replace(', "default": "Oslo"', '')
      .replace('"description": "The name of the city."', '"title": "x"')
    home.file('get_weather/tool.json', changed)
    const after = await home.review('get_weather', '--baseline', 'known.json', '--fail-on', 'warning')
    expect(after.code).toBe(1)
    expect(after.stdout).toMatch(/^2 baseline entries were not found/m)
    expect(after.stdout).toContain('warning parameter-description')
  })

  it.each([
    ['no JSON', /known\.json is not JSON/],
    ['{"version":2,"findings":[]}', /known\.json is not a baseline: version/],
    ['{"version":1,"findings":[{"tool":5}]}', /known\.json is not a baseline: findings/],
  ])('rejects %s', async (content, message) => {
    home.file('get_weather/tool.json', fixable)
    home.file('known.json', content)
    const { code, stderr } = await home.review('get_weather', '--baseline', 'known.json')
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  it('does not write the baseline if something could not be reviewed', async () => {
    home.file('tools/a/tool.json', fixable)
    home.file('tools/b/tool.json', 'no JSON')
    const { code, stderr } = await home.review('tools', '--baseline', 'known.json', '--write-baseline')
    expect(code).toBe(2)
    expect(stderr).toContain('the baseline was not written')
    expect(() => contentOf('known.json')).toThrow()
  })
})
