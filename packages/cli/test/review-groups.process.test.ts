import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ReviewHome } from './review-support.ts'

let home: ReviewHome

beforeAll(() => {
  home = new ReviewHome(mkdtempSync(join(realpathSync(tmpdir()), 'curfew-home-')))
  home.file('server.json', { tools: Array.from({ length: 25 }, (_, index) => tool(index)) })
  home.file('huge.json', { tools: Array.from({ length: 600 }, (_, index) => tool(index, 'x'.repeat(900))) })
})

afterAll(() => rmSync(home.path, { recursive: true, force: true }))

const nouns = ['city', 'river', 'street', 'harbour', 'station']

/** Has defaults of the wrong type, an argument string, a false annotation, and no `additionalProperties`. */
function tool(index: number, ending = ''): object {
  const noun = nouns[index % nouns.length]!
  const nested = { type: 'object', properties: { a: { type: 'integer', default: 'x' } } }
  return {
    name: `${index % 2 === 0 ? 'get' : 'delete'}_${noun}_${index}`,
    description: `${index % 2 === 0 ? 'Get' : 'Delete'} the ${noun} number ${index}. ${ending}`,
    inputSchema: {
      type: 'object',
      properties: {
        [`key_${index}`]: { type: 'integer', default: 'none' },
        first: nested,
        second: nested,
        ...(index % 7 === 0 && {
          command_args: { type: 'string', description: 'Command and arguments to run.' },
        }),
      },
    },
    annotations: { readOnlyHint: true },
  }
}

describe('the text report of a server', () => {
  it('starts with the grade and what would raise it most, errors first', async () => {
    const { stdout } = await home.review('server.json')
    const [heading, parts, , title, first, second, third] = stdout.split('\n')
    expect(heading).toMatch(/^C \d\.\d\d {2}server\.json$/)
    expect(parts).toMatch(/^ {2}25 tools: definitions \d\.\d\d /)
    expect(title).toBe('What would raise it most')
    expect(first).toMatch(
      /^ {2}1\. correct the annotations of \d+ tools \(false ones limit the grade to C\)$/,
    )
    expect(second).toMatch(/^ {2}2\. fix \d+ other errors: .*default-type/)
    expect(third).toMatch(/^ {2}3\. .* 25 tools.* \([a-z]+ \d\.\d of 5, up/)
  })

  it('groups findings by rule, each message with its tools, and grades the tools', async () => {
    const { stdout } = await home.review('server.json', '--strict')
    expect(stdout).toMatch(
      /^error argv-string {2}4 tools\n {2}get_city_0, \w+,\s+\w+, \w+: parameter\s+"command_args"/m,
    )
    expect(stdout).toMatch(/^error default-type {2}50 findings in 25 tools$/m)
    expect(stdout).toMatch(/^ {2}get_city_0, delete_river_1, get_street_2 and 22 more: .*\n.*\(2 places\)$/m)
    expect(stdout).toMatch(/^ {2}… and \d+ more findings$/m)
    expect(stdout).toMatch(/^note additional-properties {2}whole server\n {2}25 of 25 tools do not /m)
    expect(stdout).toMatch(/^[BCD] {2}(get|delete)_\w+ \d\.\d\d, /m)
    expect(stdout.match(/additional-properties/g)).toHaveLength(1)
  })

  it('has at most 60 lines of 80 columns for 25 tools, unless --all is given', async () => {
    for (const options of [[], ['--strict']]) {
      const lines = (await home.review('server.json', ...options)).stdout.trimEnd().split('\n')
      expect(lines.length).toBeLessThanOrEqual(60)
      expect(lines.filter((line) => line.length > 80)).toEqual([])
    }
    const all = (await home.review('server.json', '--all')).stdout
    expect(all.split('\n').length).toBeGreaterThan(300)
    expect(all).toMatch(/^ {2}\+ "readOnlyHint": false/m)
  })

  it('shows the details of up to three tools with findings', async () => {
    const clean = {
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
    const names = ['weather', 'climate', 'tides', 'wind']
    const definitions = names.map((name) => ({
      ...clean,
      name: `get_${name}`,
      description: `Get the ${name} of a city.`,
    }))
    const broken = {
      type: 'object',
      properties: { days: { type: 'integer', description: 'The number of days.', default: '3' } },
      additionalProperties: false,
    }
    home.file('few.json', [
      ...definitions,
      { ...clean, name: 'get_forecast', description: 'Get the forecast of a city.', inputSchema: broken },
    ])
    const { stdout } = await home.review('few.json')
    expect(stdout).toMatch(/^ {2}error default-type {2}line \d+\n {4}the default .*\n {2}\+ "default": 3$/m)
  })
})

describe('findings about the server', () => {
  interface Finding {
    readonly rule: string
    readonly known: boolean
  }

  it('are in the JSON report and in SARIF, once', async () => {
    const { server, servers, totals, tools } = JSON.parse((await home.review('server.json', '--json')).stdout)
    const shared = { rule: 'additional-properties', count: 25, file: 'server.json', line: 1, known: false }
    expect(server.findings).toEqual([expect.objectContaining(shared)])
    expect(servers[0].findings).toEqual(server.findings)
    const all = tools.flatMap(({ findings }: { findings: Finding[] }) => findings)
    const { error, warning, note } = totals.findings
    expect(error + warning + note).toBe(all.length + 1)
    const [run] = JSON.parse((await home.review('server.json', '--sarif')).stdout).runs
    const results = run.results.filter(({ ruleId }: { ruleId: string }) => ruleId === 'additional-properties')
    expect(results).toMatchObject([
      {
        locations: [
          {
            logicalLocations: [{ name: 'server.json', kind: 'module' }],
            physicalLocation: { region: { startLine: 1 } },
          },
        ],
      },
    ])
    expect(run.results).toHaveLength(all.length + 1)
  })

  it('are in the baseline', async () => {
    await home.review('server.json', '--baseline', 'known.json', '--write-baseline')
    const { code, stdout } = await home.review(
      'server.json',
      '--baseline',
      'known.json',
      '--json',
      '--fail-on',
      'note',
    )
    const { server, totals, staleBaseline } = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(server.findings).toMatchObject([{ known: true }])
    expect(totals.findings).toEqual({ error: 0, warning: 0, note: 0 })
    expect(staleBaseline).toEqual([])
  })
})

describe('--markdown', () => {
  it('is grouped, and counts what it leaves out', async () => {
    const { stdout } = await home.review('server.json', '--markdown')
    expect(stdout).toMatch(/^### server\.json: C \(\d\.\d\d\)\n\nWhat would raise it most:\n\n1\. correct/m)
    expect(stdout).toMatch(/^\*\*error\*\* `default-type`: \d+ findings in 25 tools\n\n- /m)
    expect(stdout).toMatch(/^- … and \d+ more findings$/m)
  })

  it('stays below 60,000 characters', async () => {
    for (const options of [[], ['--all', '--strict']]) {
      const { stdout } = await home.review('huge.json', '--markdown', ...options)
      expect(stdout.length).toBeLessThan(60_000)
      expect(stdout).toMatch(/^\d+ more tools are not shown\.$/m)
    }
  }, 30_000)
})
