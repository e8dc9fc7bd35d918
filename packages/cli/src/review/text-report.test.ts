import { fromDefinition } from '@curfew/review'
import { describe, expect, it } from 'vitest'
import { fails } from './fail-on.ts'
import { markdownReport } from './markdown-report.ts'
import type { Report } from './review-report.ts'
import { findingsOf, type ReportedFinding, type ReportedSet, reviewSource } from './review-source.ts'
import { textReport } from './text-report.ts'

/** A server with four tools that have the given findings, and nothing else. */
function reportOf(findings: readonly Partial<ReportedFinding>[], about: Partial<ReportedSet> = {}): Report {
  const tools = ['weather', 'climate', 'tides', 'wind'].map((name) => ({
    shownName: `get_${name}`,
    tool: fromDefinition({ name: `get_${name}`, description: `Get the ${name}.`, inputSchema: {} }),
    findings: [],
    origin: null,
  }))
  const [set] = reviewSource([{ name: 'a server', pattern: '*', tools }], null)
  const found = findings.map((finding) => ({ ...plain, ...finding }))
  const sets = [
    { ...set!, findings: [], tools: set!.tools.map((tool) => ({ ...tool, findings: found })), ...about },
  ]
  return { sets, fixed: null, stale: null, complete: true, judge: null, comparison: null }
}

const plain: ReportedFinding = {
  rule: 'some-rule',
  severity: 'warning',
  message: 'something is wrong',
  rewrite: null,
  pointer: '/description',
  count: 1,
  location: null,
  fixable: false,
  known: false,
}

const options = { width: 80, colours: false, all: false, strict: false }

describe('notes', () => {
  const report = reportOf([{ severity: 'note', rule: 'some-note', message: 'it could be better' }])

  it('are counted, and shown only with --strict', () => {
    const text = textReport(report, options)
    expect(text).toContain('4 tools (')
    expect(text).toContain(': no errors or warnings\n4 notes; --strict shows them\n')
    expect(text).not.toContain('some-note')
    const strict = textReport(report, { ...options, strict: true })
    expect(strict).toMatch(
      /^note some-note {2}4 tools\n {2}get_weather, get_climate, get_tides, get_wind: it could/m,
    )
    expect(strict).toMatch(/: 4 notes$/m)
    expect(strict).not.toContain('--strict')
  })

  it('are hidden in Markdown, too', () => {
    expect(markdownReport(report, options)).toContain('\n\n4 notes; --strict shows them\n')
    expect(markdownReport(report, options)).not.toContain('some-note')
    expect(markdownReport(report, { ...options, strict: true })).toContain('**note** `some-note`: 4 tools')
  })

  it('are explained if they are about usage guidance and the definitions are published', () => {
    const line = 'are only notes, because the score rewards them there'
    const guidance = reportOf([{ severity: 'note', rule: 'description-trigger' }])
    expect(textReport(guidance, options).replace(/\s+/g, ' ')).toContain(line)
    expect(textReport(report, { ...options, strict: true }).replace(/\s+/g, ' ')).not.toContain(line)
  })
})

it('shows how many places of a tool have a problem', () => {
  expect(textReport(reportOf([{ count: 3 }]), options)).toContain('something is wrong (3 places)')
})

it('shows what concerns the whole server once, and fails on it', () => {
  const report = reportOf([], { findings: [{ ...plain, message: '4 of 4 tools are wrong', count: 4 }] })
  const text = textReport(report, options)
  expect(text).toMatch(/^warning some-rule {2}whole server\n {2}4 of 4 tools are wrong$/m)
  expect(text).toMatch(/: 1 warning$/m)
  expect(markdownReport(report, options)).toMatch(/: whole server\n\n- 4 of 4 tools are wrong$/m)
  expect(findingsOf(report.sets)).toHaveLength(1)
  const isNew = (): boolean => true
  expect(fails(report.sets, { severity: 'warning', grade: null }, isNew)).toBe(true)
  expect(fails(report.sets, { severity: 'error', grade: null }, isNew)).toBe(false)
})

it.each([40, 80, 100])('fits %i columns, whatever names contain', (width) => {
  const name = `${'long_name_'.repeat(30)}\u001b[31m\u202e日本語`
  const report = reportOf(
    Array.from({ length: 30 }, (_, index) => ({
      rule: `rule-${index}`,
      message: `${'word '.repeat(40)}${name}`,
    })),
    { name },
  )
  for (const all of [false, true]) {
    const lines = textReport(report, { ...options, width, all })
      .trimEnd()
      .split('\n')
    expect(lines.filter((line) => line.length > width)).toEqual([])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: asserts that there are none
    expect(lines.join('')).not.toMatch(/[\u0000-\u001f\u202e]/)
    if (!all && width >= 80) expect(lines.length).toBeLessThanOrEqual(60)
  }
})
