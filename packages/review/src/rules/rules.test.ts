import { readdirSync, readFileSync } from 'node:fs'
import { niceTool, sleepTool, storeSecretTool, type Tool, timeoutTool } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { pasteRewrite } from '../../test/paste-rewrite.ts'
import { reviewedTool } from '../../test/reviewed-tool.ts'
import { fromTool } from '../from-tool.ts'
import type { CurfewFields, Finding, ReviewedTool } from '../review-types.ts'
import { scoreTool } from '../score/score-tool.ts'
import { rules } from './index.ts'

interface Case {
  readonly why: string
  readonly tool: Partial<ReviewedTool>
  /** Names of tools before it in the list. */
  readonly siblings?: readonly string[]
  readonly curfew?: Partial<CurfewFields>
  readonly expect: readonly (Pick<Finding, 'rule' | 'severity' | 'pointer'> & {
    /** @default 1 */
    readonly count?: number
    /** @default none */
    readonly rewrite?: string
  })[]
}

const folder = new URL('../../test/corpus-rules/', import.meta.url)
const cases = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map(
    (name) =>
      [name.replace('.json', ''), JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Case] as const,
  )

/** annotation-contradiction is tested in behaviour/. */
function findingsOf(tool: ReviewedTool, siblings: readonly ReviewedTool[]): Finding[] {
  return rules
    .filter(({ id }) => id !== 'annotation-contradiction')
    .flatMap((rule) => rule.check(tool, siblings))
}

describe('corpus', () => {
  test.each(cases)('%s', (_, { tool: fields, siblings = [], curfew, expect: expected }) => {
    const tool = reviewedTool({ ...fields, curfew })
    const others = siblings.map((name) => reviewedTool({ name }))
    const findings = findingsOf(tool, [...others, tool])
    const known = findings.map(({ rule, severity, pointer, count, rewrite }) => ({
      rule,
      severity,
      pointer,
      ...(count > 1 && { count }),
      ...(rewrite !== null && { rewrite }),
    }))
    expect(known).toEqual(expected)
  })

  test('covers every rule, and has enough cases without findings', () => {
    const found = new Set(cases.flatMap(([, { expect: expected }]) => expected.map(({ rule }) => rule)))
    expect(
      rules.map(({ id }) => id).filter((id) => !found.has(id) && id !== 'annotation-contradiction'),
    ).toEqual([])
    expect(cases.length).toBeGreaterThanOrEqual(60)
    expect(cases.filter(([, { expect: expected }]) => expected.length === 0).length).toBeGreaterThanOrEqual(
      20,
    )
  })
})

describe('fixes', () => {
  test.each(cases)(
    '%s: a fixed finding is not reported again',
    (_, { tool: fields, siblings = [], curfew }) => {
      const others = siblings.map((name) => reviewedTool({ name }))
      const tool = reviewedTool({ ...fields, curfew })
      for (const finding of findingsOf(tool, [...others, tool])) {
        if (finding.fix === undefined) continue
        const copy = structuredClone(fields) as Record<string, unknown>
        setAt(copy, finding.fix.pointer, finding.fix.value)
        const fixed = reviewedTool({ ...copy, curfew })
        const remaining = findingsOf(fixed, [...others, fixed])
        expect(
          remaining.filter(({ rule, pointer }) => rule === finding.rule && pointer === finding.pointer),
        ).toEqual([])
      }
    },
  )
})

describe('rewrites', () => {
  test.each(cases)(
    '%s: what was pasted is not reported again, and the score is not lower',
    (_, { tool: fields, siblings = [], curfew }) => {
      const others = siblings.map((name) => reviewedTool({ name }))
      const tool = reviewedTool({ ...fields, curfew })
      for (const finding of findingsOf(tool, [...others, tool])) {
        if (finding.rewrite === null) continue
        const better = reviewedTool({ ...pasteRewrite(fields, finding), curfew })
        const all = [...others, better]
        const again = findingsOf(better, all).filter(
          ({ rule, message }) => rule === finding.rule && message === finding.message,
        )
        expect(again, finding.rewrite).toEqual([])
        expect(scoreTool(better, all).overall, finding.rewrite).toBeGreaterThanOrEqual(
          scoreTool(tool, [...others, tool]).overall,
        )
      }
    },
  )
})

describe('built-in tools', () => {
  const tools = [timeoutTool, sleepTool, niceTool, storeSecretTool].map((tool) =>
    fromTool(tool as unknown as Tool),
  )
  test.each(tools.map((tool) => [tool.name, tool] as const))('%s has no findings', (_, tool) => {
    expect(findingsOf(tool, tools)).toEqual([])
  })
})

test('ids and summaries are unique', () => {
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length)
  expect(new Set(rules.map(({ summary }) => summary)).size).toBe(rules.length)
  for (const { id, summary } of rules) {
    expect(id).toMatch(/^[a-z]+(?:-[a-z]+)+$/)
    expect(summary).toMatch(/^[A-Z].*\.$/)
  }
})

function setAt(target: Record<string, unknown>, pointer: string, value: unknown): void {
  const keys = pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = keys.pop()!
  const parent = keys.reduce((node, key) => node[key] as Record<string, unknown>, target)
  if (value === undefined) delete parent[last]
  else parent[last] = value
}
