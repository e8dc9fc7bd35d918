import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ReviewHome } from './review-support.ts'
import { runCurfew } from './run-curfew.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'

let home: ReviewHome

beforeAll(() => {
  home = new ReviewHome(mkdtempSync(join(realpathSync(tmpdir()), 'curfew-home-')))
  home.file('tools/get_weather/tool.json', {
    description: 'Get the **current** weather {0} of a *city*.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', description: 'The name of the city.', default: 'Oslo' } },
      required: ['city'],
    },
    review: { ignore: [{ rule: 'additional-properties', reason: 'forwarded as is' }] },
  })
  home.file('hostile.json', [
    {
      name: 'run_\u001b[31m|`code`',
      description: 'Run \u202e<img src=x> | @everybody `x` ``y`` [a](b) \u001b]0;title\u0007 *bold*\n# Title',
      inputSchema: { type: 'object', properties: { ['long'.repeat(60)]: { type: 'string' } } },
      annotations: { readOnlyHint: true },
    },
  ])
  home.file(
    'many.json',
    Array.from({ length: 60 }, (_, index) => ({
      name: `do_${index}`,
      inputSchema: { type: 'object', properties: { x: {} } },
    })),
  )
})

afterAll(() => rmSync(home.path, { recursive: true, force: true }))

describe('--sarif', () => {
  it('has the structure of SARIF 2.1.0', async () => {
    const { code, stdout } = await home.review('tools', '--sarif', '--fail-on', 'warning')
    expect(code).toBe(1)
    const log = JSON.parse(stdout)
    expect(Object.keys(log)).toEqual(['$schema', 'version', 'runs'])
    expect(log.version).toBe('2.1.0')
    expect(log.runs).toHaveLength(1)
    const [run] = log.runs
    expect(run.columnKind).toBe('utf16CodeUnits')
    expect(run.invocations).toEqual([{ executionSuccessful: true }])
    const { driver } = run.tool
    expect(driver).toMatchObject({
      name: 'curfew review',
      semanticVersion: expect.stringMatching(/^\d+\.\d+\.\d+/),
    })
    const ids = driver.rules.map(({ id }: { id: string }) => id)
    expect(new Set(ids).size).toBe(ids.length)
    for (const rule of driver.rules) {
      expect(rule.shortDescription.text).not.toBe('')
      expect(['error', 'warning', 'note']).toContain(rule.defaultConfiguration.level)
    }
    expect(run.results.length).toBeGreaterThan(2)
    for (const result of run.results) {
      expect(ids[result.ruleIndex]).toBe(result.ruleId)
      expect(['error', 'warning', 'note']).toContain(result.level)
      expect(result.message.text).not.toBe('')
      // A single brace would be a placeholder, and this a link.
      expect(result.message.text.replace(/\{\{|\}\}/g, '')).not.toMatch(/[{}]|\]\(/)
      const [{ physicalLocation, logicalLocations }] = result.locations
      expect(physicalLocation.artifactLocation).toEqual({
        uri: 'tools/get_weather/tool.json',
        uriBaseId: '%SRCROOT%',
      })
      expect(physicalLocation.region.startLine).toBeGreaterThan(0)
      expect(logicalLocations[0].name).toBe('script_get_weather')
      expect(result.partialFingerprints['curfewFinding/v1']).toMatch(/^[0-9a-f]{32}$/)
    }
    const suppressed = run.results.filter(
      ({ suppressions }: { suppressions: unknown[] }) => suppressions.length > 0,
    )
    expect(suppressed).toMatchObject([
      {
        ruleId: 'additional-properties',
        suppressions: [{ kind: 'inSource', justification: 'forwarded as is' }],
      },
    ])
  })

  it('contains fixes that can be applied as the standard specifies', async () => {
    const [run] = JSON.parse((await home.review('tools', '--sarif')).stdout).runs
    const fixes = run.results.flatMap(({ fixes = [] }: { fixes?: unknown[] }) => fixes)
    expect(fixes.length).toBeGreaterThan(0)
    const before = readFileSync(join(home.path, 'tools/get_weather/tool.json'), 'utf8')
    for (const { artifactChanges } of fixes) {
      const [{ deletedRegion, insertedContent }] = artifactChanges[0].replacements
      const { startLine, startColumn, endLine, endColumn } = deletedRegion
      const offset = (line: number, column: number): number =>
        before
          .split('\n')
          .slice(0, line - 1)
          .join('\n').length +
        (line > 1 ? 1 : 0) +
        column -
        1
      const after =
        before.slice(0, offset(startLine, startColumn)) +
        insertedContent.text +
        before.slice(offset(endLine, endColumn))
      expect(JSON.parse(after)).not.toEqual(JSON.parse(before))
    }
  })

  it('contains the state in the baseline, and URIs of files outside the working directory', async () => {
    await home.review('tools', '--baseline', 'known.json', '--write-baseline')
    const { stdout } = await home.review(join(home.path, 'tools'), '--sarif', '--baseline', 'known.json')
    const { results } = JSON.parse(stdout).runs[0]
    const states = new Set(results.map(({ baselineState }: { baselineState: string }) => baselineState))
    // The baseline does not contain suppressed findings.
    expect([...states].sort()).toEqual(['new', 'unchanged'])
    const elsewhere = await runCurfew(
      ['review', join(home.path, 'tools'), '--sarif'],
      home.environment,
      tmpdir(),
    )
    const [{ locations }] = JSON.parse(elsewhere.stdout).runs[0].results
    expect(locations[0].physicalLocation.artifactLocation.uri).toMatch(/get_weather\/tool\.json$/)
  })
})

describe('--markdown', () => {
  it('contains a table and the findings, with markup escaped', async () => {
    const { stdout } = await home.review('hostile.json', '--markdown')
    expect(stdout).toMatch(/^## Tool review\n\n1 tool/)
    expect(stdout).toMatch(/^\| Tool \| Grade \| Score \| Findings \| Location \|\n\| --- /m)
    expect(stdout).toMatch(
      /^\*\*error\*\* `hidden-characters`: 2 findings in 1 tool\n\n- .*\(`hostile\.json:\d+`\)$/m,
    )
    // biome-ignore lint/suspicious/noControlCharactersInRegex: asserts that there are none
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
    expect(stdout.replace(/(`+)(?:(?!\1).)*\1/g, '')).not.toMatch(/<img|@everybody|^# Title/m)
    for (const row of stdout.split('\n').filter((line) => line.startsWith('| '))) {
      expect(row.replaceAll('\\|', '').match(/\|/g)).toHaveLength(6)
    }
  })
})

describe('text report', () => {
  it('fits 80 columns and contains no control characters', async () => {
    for (const path of ['hostile.json', 'many.json', 'tools']) {
      for (const options of [[], ['--all']]) {
        const { stdout } = await home.review(path, ...options)
        expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
        // biome-ignore lint/suspicious/noControlCharactersInRegex: asserts that there are none
        expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
      }
    }
  })

  it('groups findings by tool, shows rewrites as added lines, and prints totals', async () => {
    const { stdout } = await home.review('tools')
    expect(stdout).toMatch(/^[A-D] \d\.\d\d {2}script_get_weather {2}tools\/get_weather\/tool\.json:1$/m)
    expect(stdout).toMatch(
      /^ {2}warning description-markdown {2}line 2\n {4}.+\n {2}\+ Get the current weather/m,
    )
    expect(stdout).toMatch(
      /^1 tool \(1 [A-D]\): \d warnings?; 1 suppressed\n\d findings? can be fixed with --fix$/m,
    )
  })

  it('shortens a long list, unless --all is given', async () => {
    const short = (await home.review('many.json')).stdout
    expect(short).toMatch(/^error description-missing {2}60 tools\n {2}do_0, do_1, do_2 and 57 more: /m)
    expect(short).toMatch(/ … \d+ more$/m)
    expect(short.split('\n').length).toBeLessThan(60)
    const all = (await home.review('many.json', '--all')).stdout
    expect(all).toContain('do_59')
    expect(all).not.toContain('--all shows them')
  })

  it('writes to the --output-file file without colours', async () => {
    const { code, stdout } = await home.review('tools', '--output-file', 'report.txt')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(readFileSync(join(home.path, 'report.txt'), 'utf8')).toContain('script_get_weather')
  })

  it.runIf(hasTerminal)('uses colours on a terminal', async () => {
    const environment = { ...home.environment, NO_COLOR: '' }
    const { code, stdout } = await runInTerminal(['review', 'tools'], environment, home.path, [])
    expect(code).toBe(0)
    expect(stdout).toContain('\u001b[33mwarning\u001b[39m description-markdown')
  })
})
