import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ReviewHome } from './review-support.ts'
import { type Ended, ending, startCurfew } from './run-curfew.ts'

const tiny = fileURLToPath(new URL('fixtures/tiny-mcp-server.js', import.meta.url))
let home: ReviewHome

beforeEach(() => {
  home = new ReviewHome(mkdtempSync(join(realpathSync(tmpdir()), 'curfew-home-')))
})

afterEach(() => rmSync(home.path, { recursive: true, force: true }))

const review = (...args: string[]): Promise<Ended> => home.review(...args)
const file = (path: string, content: unknown): void => home.file(path, content)

async function reviewInput(input: string, ...args: string[]): Promise<Ended> {
  const child = startCurfew(['review', '-', ...args], home.environment, home.path, 'pipe')
  child.stdin!.on('error', () => {})
  child.stdin!.end(input)
  return await ending(child)
}

interface Json {
  readonly tools: readonly {
    readonly name: string
    readonly source: string
    readonly file: string | null
    readonly line: number | null
    readonly grade: string
    readonly score: {
      readonly overall: number
      readonly dimensions: Record<string, { readonly score: number }>
    }
    readonly findings: readonly {
      readonly rule: string
      readonly severity: string
      readonly line: number | null
    }[]
  }[]
  readonly server: { readonly grade: string } | null
  readonly servers: readonly { readonly name: string; readonly tools: number }[]
  readonly complete: boolean
}

const json = async (...args: string[]): Promise<Json> =>
  JSON.parse((await review(...args, '--json')).stdout) as Json

const weather = {
  name: 'get_weather',
  description: 'Get the current weather of a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string', description: 'The name of the city, such as Oslo.' } },
    required: ['city'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, openWorldHint: true },
}

/** The published tool, which is falsely annotated as read-only. */
const publishedTimeout = {
  name: 'timeout',
  description:
    "Run a command with a bounded time limit, automatically terminating it if it exceeds the duration. Captures stdout/stderr up to max_output_bytes. Returns JSON with command output and whether it timed out. Use to prevent runaway commands from blocking agent workflows. Not for introducing delays — use 'sleep' to pause. Not for CPU priority — use 'nice'. See also 'sleep', 'nice'.",
  inputSchema: {
    type: 'object',
    properties: {
      command_args: { type: 'string', description: 'Command and arguments to run.' },
      dry_run: { type: 'boolean', description: 'Report without running the command.' },
      max_output_bytes: { type: 'integer', description: 'Maximum captured stdout/stderr bytes each.' },
      seconds: { type: 'number', description: 'Timeout in seconds.' },
    },
    required: ['seconds'],
  },
  annotations: { readOnlyHint: true },
}

describe('a list of tools', () => {
  it.each([
    ['the result', { tools: [weather] }, 3],
    ['the list alone', [weather], 2],
    ['the whole response', { jsonrpc: '2.0', id: 1, result: { tools: [weather] } }, 6],
    ['one definition', weather, 1],
  ])('reviews %s and locates the tool', async (_, content, line) => {
    file('list.json', content)
    const { tools, server, complete } = await json('list.json')
    expect(tools).toMatchObject([{ name: 'get_weather', file: 'list.json', line, findings: [] }])
    expect(server).not.toBeNull()
    expect(complete).toBe(true)
    expect((await review('list.json')).code).toBe(0)
  })

  it('is read from standard input', async () => {
    const { code, stdout } = await reviewInput(JSON.stringify({ tools: [weather] }))
    expect(code).toBe(0)
    expect(stdout).toMatch(/^1 tool \(1 [AB]\): no findings$/m)
  })

  it('reports a tool that falsely claims to be read-only, scores its behaviour 1 and caps its grade at C', async () => {
    file('list.json', { tools: [publishedTimeout] })
    const { tools } = await json('list.json')
    const [tool] = tools
    expect(tool!.grade).toBe('C')
    expect(tool!.score.dimensions.behaviour!.score).toBe(1)
    const found = tool!.findings.map(({ rule, severity, line }) => `${severity} ${rule} ${line}`)
    expect(found).toEqual(
      expect.arrayContaining(['error annotation-contradiction 31', 'error argv-string 9']),
    )
    expect((await review('list.json')).code).toBe(1)
  })

  it('reports that a list is only one page', async () => {
    file('list.json', { tools: [weather], nextCursor: 'x' })
    expect((await review('list.json')).stderr).toMatch(/list\.json is one page of a list/)
  })

  it('reports invalid definitions and reviews the others', async () => {
    file('list.json', [7, { name: 'a', inputSchema: [] }, weather])
    const { tools } = await json('list.json')
    expect(tools.map(({ name }) => name)).toEqual(['tool 1', 'a', 'get_weather'])
    expect(tools[0]!.findings).toMatchObject([{ rule: 'definition-shape', severity: 'error', line: 2 }])
    expect(tools[1]!.findings).toEqual(
      expect.arrayContaining([expect.objectContaining({ rule: 'definition-shape' })]),
    )
    expect(tools[2]!.findings).toEqual([])
  })
})

describe('tool files', () => {
  const script = {
    description: 'Get the current weather of a city.',
    usage: 'Use it for the weather now, not for a forecast. It returns the temperature in degrees.',
    timeout: 10,
    parameters: weather.inputSchema,
  }
  const api = {
    description: 'Get the forecast of a city.',
    usage: 'Use it for the coming days, not for the weather now.',
    endpoint: { url: 'https://api.example.com/{city}' },
    parameters: { city: { type: 'string', description: 'The name of the city, such as Oslo.' } },
  }

  it.each(['tools', 'all', 'all/extensions', 'mixed'])('reviews a folder: %s', async (folder) => {
    file('tools/get_weather/tool.json', script)
    file('tools/get_forecast.json', api)
    file('tools/package.json', {})
    file('all/extensions/scripts/get_weather/tool.json', script)
    file('all/extensions/apis/get_forecast.json', api)
    file('mixed/get_weather/tool.json', script)
    file('mixed/apis/get_forecast.json', api)
    const { tools } = await json(folder)
    expect(tools.map(({ name }) => name).sort()).toEqual(['api_get_forecast', 'script_get_weather'])
    expect(tools.flatMap(({ findings }) => findings)).toEqual([])
  })

  it('reviews one file, or the folder of one tool, and locates findings in the file', async () => {
    const { description: _, ...city } = weather.inputSchema.properties.city
    file('get_weather/tool.json', { ...script, parameters: { ...weather.inputSchema, properties: { city } } })
    file('get_forecast.json', { ...api, parameters: { city } })
    for (const [path, line] of [
      ['get_weather', 8],
      ['get_weather/tool.json', 8],
      ['get_forecast.json', 8],
    ] as const) {
      const { tools } = await json(path)
      expect(tools[0]!.findings).toEqual([expect.objectContaining({ rule: 'parameter-description', line })])
    }
  })

  it('reports a broken file, reviews the others and exits with 2', async () => {
    file('tools/get_weather/tool.json', script)
    file('tools/broken/tool.json', { description: 5 })
    file('tools/text.json', 'no JSON')
    const { code, stdout, stderr } = await review('tools')
    expect(code).toBe(2)
    expect(stdout).toMatch(/^A \d\.\d\d {2}script_get_weather {2}tools\/get_weather\/tool\.json:1$/m)
    expect(stderr).toMatch(/^error: tools\/broken\/tool\.json: description: /m)
    expect(stderr).toMatch(/^error: tools\/text\.json: is not JSON: /m)
  })
})

describe('the configured tools', () => {
  it('reviews built-in tools, scripts and APIs together, and each server on its own', async () => {
    const tool = {
      description: 'Count the words in a string.',
      parameters: { type: 'object', properties: { text: {} } },
    }
    file('.config/curfew/extensions/scripts/word_count/tool.json', tool)
    file('.config/curfew/extensions/scripts/word_count/script.js', 'console.log(1)')
    file('.config/curfew/mcp.json', { mcpServers: { tiny: { command: process.execPath, args: [tiny] } } })
    const { tools, server, servers } = await json()
    expect(tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['timeout', 'script_word_count', 'mcp__tiny__hello']),
    )
    expect(server).toBeNull()
    expect(servers).toMatchObject([{ name: 'your tools' }, { name: 'tiny', tools: 2 }])
    const hello = tools.find(({ name }) => name === 'mcp__tiny__hello')!
    expect(hello).toMatchObject({ source: 'tiny', file: join(home.path, '.config/curfew/mcp.json'), line: 3 })
    const script = tools.find(({ name }) => name === 'script_word_count')!
    expect(script.findings.length).toBeGreaterThan(0)
    expect(script.findings.every(({ line }) => line !== null)).toBe(true)
    expect(readdirSync(join(home.path, '.config/curfew/mcp'))).toHaveLength(1)
  })

  it('is incomplete if a project is not trusted', async () => {
    file('.curfew/config.json', {})
    const { code, stderr } = await review()
    expect(code).toBe(2)
    expect(stderr).toMatch(/^error: .*\.curfew: /m)
  })

  it('is incomplete if some tools of a server are invalid', async () => {
    const server = { command: process.execPath, args: [tiny], env: { TWICE: '1' } }
    file('.config/curfew/mcp.json', { mcpServers: { tiny: server } })
    const { code, stderr } = await review()
    expect(code).toBe(2)
    expect(stderr).toMatch(/mcpServers\.tiny: .*"bye"/m)
  })

  it('is incomplete if a server does not start', async () => {
    file('.config/curfew/mcp.json', { mcpServers: { gone: { command: '/nowhere/at/all' } } })
    const { code, stderr } = await review()
    expect(code).toBe(2)
    expect(stderr).toMatch(/mcpServers\.gone: .*\/nowhere\/at\/all/)
  })
})

describe('--mcp', () => {
  it('ignores suppressions of a live server', async () => {
    const ignore = [{ rule: 'parameter-description', reason: 'trust me' }]
    const meta = JSON.stringify({ 'curfew/review': { ignore } })
    const plain = await json('--mcp', `"${process.execPath}" '${tiny}'`)
    const suppressing = await json('--mcp', `"${process.execPath}" '${tiny}' '${meta}'`)
    const [tool] = plain.tools
    expect(suppressing.tools[0]).toMatchObject({ findings: tool!.findings, suppressed: [] })
    expect(tool!.findings.map(({ rule }) => rule)).toContain('parameter-description')
  })

  it('starts a server, reviews its tools and leaves no files behind', async () => {
    const { tools, servers } = await json('--mcp', `"${process.execPath}" '${tiny}'`)
    expect(tools).toMatchObject([
      { name: 'hello', file: null },
      { name: 'bye', grade: 'D' },
    ])
    expect(servers).toMatchObject([{ name: 'tiny' }])
    expect(readdirSync(home.path)).toEqual([])
  })

  it('connects to a server over HTTP', async () => {
    const child = startCurfew(['mcp', '--http', '--port', '0', '--no-token', '--builtins'], home.environment)
    try {
      let output = ''
      const url = await new Promise<string>((resolve, reject) => {
        const read = (chunk: Buffer): void => {
          output += chunk
          const found = /https?:\/\/127\.0\.0\.1:\d+\S*/.exec(output)
          if (found) resolve(found[0])
        }
        child.stdout!.on('data', read)
        child.stderr!.on('data', read)
        child.on('close', () => reject(new Error(output)))
      })
      const { tools } = await json('--mcp', url)
      expect(tools.map(({ name }) => name)).toContain('timeout')
    } finally {
      child.kill()
      await once(child, 'close')
    }
  })

  it('exits with 2 and one line if the server hangs or exits, or the command is invalid', async () => {
    const node = JSON.stringify(process.execPath)
    const hangs = await review('--mcp', `${node} -e "setInterval(() => {}, 1e6)"`, '--timeout', '1s')
    expect(hangs).toMatchObject({ code: 2, stdout: '' })
    expect(hangs.stderr).toMatch(/^curfew review: the MCP server node .*1 s.*\n$/)
    const ends = await review('--mcp', `${node} -e "console.error('no luck'); process.exit(3)"`)
    expect(ends).toMatchObject({ code: 2, stdout: '' })
    expect(ends.stderr).toMatch(/^curfew review: .*no luck.*\n$/)
    const shell = await review('--mcp', 'a | b')
    expect(shell.stderr).toMatch(/^curfew review: --mcp: .*\|/)
    expect((await review('--mcp', ' ')).stderr).toMatch(/^curfew review: --mcp: expected a URL, or a command/)
  })
})

describe('invalid input', () => {
  it.each([
    ['', /is empty/],
    ['no JSON', /is not JSON/],
    ['5', /contains no tools/],
    ['null', /contains no tools/],
    ['{}', /contains no tools/],
    ['[]', /empty list of tools/],
    ['{"tools":[]}', /empty list of tools/],
    ['{"tools":{}}', /expected "tools" to be an array/],
    [
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"no such\\u001b[31m method"}}',
      /no such method/,
    ],
  ])('%j: exits with 2 and one line', async (input, message) => {
    const { code, stdout, stderr } = await reviewInput(input)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it('prints an incomplete report with --json', async () => {
    const { code, stdout } = await reviewInput('{"tools":[]}', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({ tools: [], server: null, complete: false })
  })

  it('rejects a folder without tools, a missing path and a device', async () => {
    mkdirSync(join(home.path, 'empty'))
    expect(await review('empty')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/empty contains no tools/),
    })
    expect(await review('nowhere')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/nowhere does not exist/),
    })
    expect(await review('/dev/null')).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/is not a file/),
    })
  })

  it.each([
    [['--json', '--sarif'], /--json and --sarif cannot be combined/],
    [['a', '--mcp', 'b'], /expected PATH or --mcp, got both/],
    [['--timeout', '5s'], /--timeout requires --mcp/],
    [['--write-baseline'], /--write-baseline requires --baseline/],
    [['--fail-on', 'bad'], /--fail-on: expected error, .*; got "bad"/],
    [['--fail-on', 'never,error'], /got "never,error"/],
    [['--fix', '--mcp', 'a'], /--fix and --mcp cannot be combined/],
    [['--fix', '--judge', 'a'], /--fix and --judge cannot be combined/],
    [['--output-file', '/nowhere/x'], /\/nowhere\/x cannot be written/],
  ])('rejects %j', async (args, message) => {
    const { code, stderr } = await review(...args)
    expect(code).toBe(2)
    expect(stderr).toMatch(message)
  })

  it('reviews hostile definitions in bounded time', async () => {
    const depth = 10_000
    const deep = `${'{"type":"object","properties":{"a":'.repeat(depth)}{}${'}}'.repeat(depth)}`
    const long = JSON.stringify('word '.repeat(2_000_000))
    file('deep.json', `[{"name":"read_deep","description":"Read it.","inputSchema":${deep}}]`)
    file('long.json', `[{"name":"read_long","description":${long},"inputSchema":{"type":"object"}}]`)
    file('cycle.json', [
      {
        ...weather,
        inputSchema: { type: 'object', properties: { a: { $ref: '#/properties/a' }, b: { $ref: '#' } } },
      },
    ])
    file('deep/tool.json', `{"description":"Read it.","parameters":${deep}}`)
    const startedAt = performance.now()
    for (const path of ['long.json', 'cycle.json']) {
      for (const format of ['--all', '--sarif']) {
        const { code, stderr } = await review(path, format, '--fail-on', 'note')
        expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
      }
    }
    for (const [path, name] of [
      ['deep', 'deep/tool.json'],
      ['deep.json', 'deep.json'],
    ])
      expect(await review(path!)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(`^error: ${name}: is not JSON: .*nested more than 200 levels deep\n$`),
      })
    expect(performance.now() - startedAt).toBeLessThan(60_000)
  }, 90_000)
})

it('exits with 1 if a finding or grade reaches --fail-on', async () => {
  const { annotations: _, ...noted } = weather
  file('clean.json', [weather])
  file('bad.json', [noted, publishedTimeout])
  const code = async (path: string, failOn: string): Promise<number | null> =>
    (await review(path, '--fail-on', failOn)).code
  expect(await code('bad.json', 'never')).toBe(0)
  expect((await review('bad.json')).code).toBe(1)
  expect(await code('bad.json', 'error')).toBe(1)
  expect(await code('bad.json', 'grade:C')).toBe(0)
  expect(await code('bad.json', 'grade:B')).toBe(1)
  expect(await code('bad.json', 'note,grade:D')).toBe(1)
  expect(await code('clean.json', 'note,grade:B')).toBe(0)
  expect(await code('clean.json', 'grade:A')).toBe(1)
})
