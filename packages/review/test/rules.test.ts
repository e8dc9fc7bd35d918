import { readdirSync, readFileSync } from 'node:fs'
import { niceTool, sleepTool, storeSecretTool, type Tool, timeoutTool } from '@curfew/core'
import { type Finding, fromTool, type OwnTool, type ReviewedTool, rules } from '@curfew/review'
import { describe, expect, test } from 'vitest'
import { reviewed } from './reviewed.ts'

interface Case {
  readonly why: string
  readonly tool: Partial<ReviewedTool>
  /** Names of tools that stand before it. */
  readonly siblings?: readonly string[]
  readonly own?: Partial<OwnTool>
  readonly expect: readonly { readonly rule: string; readonly pointer: string; readonly rewrite?: string }[]
}

const folder = new URL('./corpus-rules/', import.meta.url)
const cases = readdirSync(folder)
  .filter((name) => name.endsWith('.json'))
  .map(
    (name) =>
      [name.replace('.json', ''), JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Case] as const,
  )

/** What a tool does against what its annotations say is tested elsewhere. */
function findingsOf(tool: ReviewedTool, siblings: readonly ReviewedTool[]): Finding[] {
  return rules
    .filter(({ id }) => id !== 'annotation-contradiction')
    .flatMap((rule) => rule.check(tool, siblings))
}

describe('the corpus', () => {
  test.each(cases)('%s', (_, { tool: fields, siblings = [], own, expect: expected }) => {
    const tool = reviewed({ ...fields, own })
    const others = siblings.map((name) => reviewed({ name }))
    const findings = findingsOf(tool, [...others, tool])
    const places = (list: readonly { rule: string; pointer: string }[]): string[] =>
      list.map(({ rule, pointer }) => `${rule} ${pointer}`).sort()
    expect(places(findings)).toEqual(places(expected))
    for (const { rule, pointer, rewrite } of expected) {
      if (rewrite === undefined) continue
      expect(findings.find((found) => found.rule === rule && found.pointer === pointer)?.rewrite).toBe(
        rewrite,
      )
    }
  })

  test('has something for each rule, and enough that is good', () => {
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
  test.each(cases)('%s: what was fixed is not found again', (_, { tool: fields, siblings = [], own }) => {
    const others = siblings.map((name) => reviewed({ name }))
    const tool = reviewed({ ...fields, own })
    for (const finding of findingsOf(tool, [...others, tool])) {
      if (finding.fix === undefined) continue
      const copy = structuredClone(fields) as Record<string, unknown>
      setAt(copy, finding.fix.pointer, finding.fix.value)
      const fixed = reviewed({ ...copy, own })
      const left = findingsOf(fixed, [...others, fixed])
      expect(
        left.filter(({ rule, pointer }) => rule === finding.rule && pointer === finding.pointer),
      ).toEqual([])
    }
  })
})

describe('rewrites', () => {
  test.each(cases)(
    '%s: a name or description that was rewritten is not found again',
    (_, { tool: fields, siblings = [], own }) => {
      const others = siblings.map((name) => reviewed({ name }))
      const tool = reviewed({ ...fields, own })
      for (const { rule, pointer, rewrite } of findingsOf(tool, [...others, tool])) {
        if (pointer !== '/name' && pointer !== '/description') continue
        const better = reviewed({ ...fields, own, [pointer.slice(1)]: rewrite })
        const left = findingsOf(better, [...others, better])
        // Where only marks are taken away, the words stay as they are.
        const keepsWords = rule === 'description-markdown' || rule === 'hidden-characters'
        const again = left.filter(
          (found) => found.pointer === pointer && (found.rule === rule || !keepsWords),
        )
        expect(again, rewrite).toEqual([])
      }
    },
  )
})

describe('our own tools', () => {
  const tools = [timeoutTool, sleepTool, niceTool, storeSecretTool].map((tool) =>
    fromTool(tool as unknown as Tool),
  )
  test.each(tools.map((tool) => [tool.name, tool] as const))('%s is clean', (_, tool) => {
    expect(findingsOf(tool, tools)).toEqual([])
  })
})

test('every rule has an id and a summary of its own', () => {
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
