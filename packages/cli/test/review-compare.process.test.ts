import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ReviewHome } from './review-support.ts'

let home: ReviewHome

beforeAll(async () => {
  home = new ReviewHome(mkdtempSync(join(realpathSync(tmpdir()), 'curfew-home-')))
  home.file('before.json', [tool('get_forecast'), tool('get_climate', '3'), tool('get_tides')])
  home.file('after.json', [tool('get_forecast', '5'), tool('get_climate'), tool('get_warnings', '7')])
  await home.review('before.json', '--json', '--output-file', 'old.json')
})

afterAll(() => rmSync(home.path, { recursive: true, force: true }))

/** With an error if the default is a string. */
function tool(name: string, days: unknown = 3): object {
  const properties = { days: { type: 'integer', description: 'The number of days, from 1.', default: days } }
  return {
    name,
    description: `Get the ${name.slice(4)} of the coming days at the coast.`,
    inputSchema: { type: 'object', properties, additionalProperties: false },
    annotations: { readOnlyHint: true },
  }
}

describe('--compare', () => {
  it('reports more places of a known problem, and shows suppressed errors', async () => {
    const undescribed = (...names: string[]): object => ({
      name: 'get_entry',
      description: 'Get one cached entry by its key.',
      inputSchema: {
        type: 'object',
        properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      },
    })
    const ignore = [{ rule: 'annotation-contradiction', reason: 'trust me' }]
    const suppressed = {
      name: 'purge_cache',
      description: 'Delete all cached entries for good.',
      inputSchema: { type: 'object', properties: {} },
      annotations: { readOnlyHint: true },
      _meta: { 'curfew/review': { ignore } },
    }
    home.file('one.json', [undescribed('flavour')])
    await home.review('one.json', '--json', '--output-file', 'one-report.json')
    home.file('two.json', [undescribed('flavour', 'colour'), suppressed])
    const { code, stdout } = await home.review(
      'two.json',
      '--compare',
      'one-report.json',
      '--fail-on',
      'warning',
    )
    expect(code).toBe(1)
    expect(stdout).toContain('new warning parameter-description: 2 parameters have no description')
    expect(stdout).toContain('suppressed error in purge_cache annotation-contradiction: trust me')
  })

  it('does not overwrite the reviewed file, or another one that is not a baseline', async () => {
    home.file('input.json', [tool('get_forecast')])
    for (const options of [
      ['--output-file', 'input.json'],
      ['--baseline', 'input.json', '--write-baseline'],
      ['--baseline', 'before.json', '--write-baseline'],
    ]) {
      const { code, stderr } = await home.review('input.json', ...options)
      expect(code).toBe(2)
      expect(stderr).toMatch(/is the reviewed file|is not a baseline/)
    }
  })

  it('prints added, removed and changed tools, with new and fixed findings', async () => {
    const { code, stdout, stderr } = await home.review('after.json', '--compare', 'old.json')
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(stdout).toMatch(/^[A-D] .*get_forecast\n {2}new error default-type: /m)
    expect(stdout).toMatch(/^[A-D] .*get_climate\n {2}fixed error default-type: /m)
    expect(stdout).toMatch(/^[A-D] \d\.\d\d {2}get_warnings {2}added\n {2}new error default-type: /m)
    expect(stdout).toMatch(/^[A-D] \d\.\d\d {2}get_tides {2}removed$/m)
    expect(stdout).toMatch(
      /^compared with old\.json: 1 tool added, 1 removed, 2 changed; 2 new findings, 1\n? *fixed/m,
    )
  })

  it('prints a short table as Markdown', async () => {
    const { stdout } = await home.review('after.json', '--compare', 'old.json', '--markdown')
    expect(stdout).toMatch(/^\| `get_warnings` \| added \| [A-D] \d\.\d\d \| 1 \| 0 \|$/m)
    expect(stdout).toMatch(/^- new \*\*error\*\* `default-type` in `get_forecast`: /m)
    expect(stdout).toMatch(/^- fixed `default-type` in `get_climate`: /m)
    expect(stdout.length).toBeLessThan(2_000)
  })

  it('adds the comparison to the JSON report, which can be compared with again', async () => {
    const { stdout } = await home.review('after.json', '--compare', 'old.json', '--json', '--strict')
    const { comparison, tools } = JSON.parse(stdout)
    expect(tools).toHaveLength(3)
    expect(comparison).toMatchObject({ file: 'old.json', unchanged: 0 })
    expect(
      comparison.tools.map(({ name, kind }: { name: string; kind: string }) => `${kind} ${name}`),
    ).toEqual(['changed get_forecast', 'changed get_climate', 'added get_warnings', 'removed get_tides'])
    expect(comparison.tools[0]).toMatchObject({
      before: { grade: expect.any(String), score: expect.any(Number) },
      newFindings: [{ rule: 'default-type', severity: 'error' }],
      fixedFindings: [],
    })
    home.file('new.json', stdout)
    const again = await home.review('after.json', '--compare', 'new.json')
    expect(again.code).toBe(0)
    expect(again.stdout).toContain('compared with new.json: 3 tools unchanged; 0 new findings, 0 fixed')
  })

  it('fails only on new findings, and on grades', async () => {
    await home.review('after.json', '--json', '--output-file', 'same.json')
    expect((await home.review('after.json')).code).toBe(1)
    expect((await home.review('after.json', '--compare', 'same.json', '--fail-on', 'note')).code).toBe(0)
    home.file('bare.json', [{ name: 'get_tides', inputSchema: { type: 'object' } }])
    await home.review('bare.json', '--json', '--output-file', 'same.json')
    expect((await home.review('bare.json', '--compare', 'same.json', '--fail-on', 'error')).code).toBe(0)
    expect((await home.review('bare.json', '--compare', 'same.json', '--fail-on', 'grade:A')).code).toBe(1)
  })

  it('contains the state of each result with --sarif', async () => {
    const { stdout } = await home.review('after.json', '--compare', 'old.json', '--sarif')
    const { results } = JSON.parse(stdout).runs[0]
    expect(new Set(results.map(({ baselineState }: { baselineState: string }) => baselineState))).toContain(
      'new',
    )
  })

  it.each([
    [
      'no JSON',
      /old\.json is not JSON: .*; expected a report of this version, written with curfew review --json/,
    ],
    ['', /is empty/],
    ['{}', /is not a report of curfew review/],
    ['[]', /is not a report of curfew review/],
    ['null', /is not a report of curfew review/],
    ['{"version":"2.1.0","runs":[]}', /is not a report of curfew review/],
    ['{"tools":[],"servers":[],"totals":{},"complete":true}', /is a report of an older version/],
    ['{"version":3,"tools":[],"totals":{}}', /is a report of version 3, not 2/],
    ['{"version":2,"tools":5,"servers":[],"complete":true}', /is not a report: tools: /],
    ['{"version":2,"tools":[{"name":{}}],"servers":[],"complete":true}', /is not a report: tools\[0\]/],
    [
      '{"version":2,"tools":[{"name":"x","grade":"E","score":{"overall":1e999},"findings":[]}],"servers":[],"complete":true}',
      /is not a report: /,
    ],
    [`{"version":2,"tools":${'['.repeat(300)}${']'.repeat(300)}}`, /nested more than 200 levels/],
    [`"${'x'.repeat(17 << 20)}"`, /is too large/],
  ])('rejects %.60s', async (content, message) => {
    home.file('bad/old.json', content)
    const { code, stdout, stderr } = await home.review('after.json', '--compare', 'bad/old.json')
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^curfew review: --compare: bad\/old\.json .*; expected a report of this version/)
    expect(stderr).toMatch(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })

  it('rejects a missing file', async () => {
    const { code, stderr } = await home.review('after.json', '--compare', 'nowhere.json')
    expect(code).toBe(2)
    expect(stderr).toMatch(/--compare: nowhere\.json does not exist/)
  })

  it('escapes what a report contains', async () => {
    const name = '\u001b[31m<img src=x>|@everybody'
    const finding = { rule: 'x\u001b[0m', severity: 'error', message: '<b>\u202e', pointer: '/', count: 1 }
    const old = { name, grade: 'A', score: { overall: 4 }, findings: [finding] }
    home.file('hostile.json', {
      version: 2,
      tools: [old, { ...old, name: 'get_tides' }],
      servers: [],
      complete: false,
      totals: {},
    })
    home.file('tides.json', [tool('get_tides')])
    for (const format of [[], ['--markdown']]) {
      const { stdout, stderr } = await home.review('tides.json', '--compare', 'hostile.json', ...format)
      expect(stderr).toMatch(/^--compare: hostile\.json is incomplete, so some tools may seem to be new\n$/)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: asserts that there are none
      expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
      if (format.length > 0) expect(stdout.replace(/`[^`]*`/g, '')).not.toMatch(/<img|<b>|@everybody/)
    }
  })
})
