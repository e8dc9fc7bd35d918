import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { fromDefinition, type Review, type ReviewedTool, reviewTools } from '@curfew/review'
import { pasteRewrite } from '../packages/review/test/paste-rewrite.ts'
import type { Figure, Findings, Table, Target } from './report.ts'
import { countMisplaced, isInvented, isSerious } from './review-wild/check-findings.ts'
import { takeSample } from './review-wild/take-sample.ts'

/** A server's `tools/list` result with its review. */
export interface ReviewedList {
  readonly name: string
  readonly definitions: readonly object[]
  readonly review: Review
}

type Label = 'writer' | 'reader' | 'unclear'
type Labels = Readonly<Record<string, Readonly<Record<string, Label>>>>

/**
 * The review of definitions that others published. `--lists DIR` is a folder with a `tools/list` result per server, `--labels FILE` says which
 * tools change something, and `--sample FILE` writes findings and rewrites to judge by hand.
 */
export async function measureReviewWild(args: readonly string[]): Promise<Findings> {
  const { values } = parseArgs({
    args: [...args],
    options: { lists: { type: 'string' }, labels: { type: 'string' }, sample: { type: 'string' } },
    strict: false,
  })
  if (typeof values.lists !== 'string')
    throw new Error('--lists: expected a folder with a tools/list result per server')
  const lists = readLists(values.lists)
  const tools = lists.flatMap(({ review }) => review.tools)
  if (typeof values.sample === 'string')
    writeFileSync(values.sample, `${JSON.stringify(takeSample(lists), null, 2)}\n`)
  const serious = tools.map(({ findings }) => findings.filter(isSerious).length)
  const all = lists.flatMap(({ definitions, review }) =>
    review.tools.flatMap(({ findings }, index) =>
      findings.map((finding) => ({ finding, definition: definitions[index]! })),
    ),
  )
  const scores = compareScores(lists)
  const annotations = typeof values.labels === 'string' ? measureAnnotations(lists, values.labels) : null
  return {
    targets: [
      { name: 'warnings and errors per tool', figure: mean(serious), unit: '', atMost: 3 },
      { name: 'the worst tool', figure: Math.max(...serious), unit: '', atMost: 15 },
      {
        name: 'proposed defaults that the text does not state',
        figure: all.filter(({ finding, definition }) => isInvented(finding, definition)).length,
        unit: '',
        atMost: 0,
      },
      {
        name: 'findings on unused definitions and on constants',
        figure: countMisplaced(all),
        unit: '',
        atMost: 0,
      },
      {
        name: 'tools whose score is lower with their rewrites pasted',
        figure: scores.lower,
        unit: '',
        atMost: 0,
      },
      ...(annotations?.targets ?? []),
    ],
    information: [
      {
        name: 'notes per tool',
        figure: mean(tools.map(({ findings }) => findings.length)) - mean(serious),
        unit: '',
      },
      { name: 'mean score', figure: scores.before, unit: '' },
      { name: 'mean score with the rewrites pasted', figure: scores.after, unit: '' },
      { name: 'lists without errors, which pass by default', figure: lists.filter(passes).length, unit: '' },
      ...(annotations?.information ?? []),
    ],
    tables: [rulesTable(lists), gradesTable(lists)],
    notes: [`${tools.length} tools of ${lists.length} servers`],
  }
}

function readLists(folder: string): ReviewedList[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const { tools } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { tools: object[] }
      const review = reviewTools(tools.map((definition) => fromDefinition(definition)))
      return { name: file.replace('.json', ''), definitions: tools, review }
    })
}

function passes({ review }: ReviewedList): boolean {
  return !review.tools.some(({ findings }) => findings.some(({ severity }) => severity === 'error'))
}

/** The mean score of all tools, and of all tools with everything pasted that is proposed for them. */
function compareScores(lists: readonly ReviewedList[]): { before: number; after: number; lower: number } {
  const before: number[] = []
  const after: number[] = []
  for (const { definitions, review } of lists) {
    const pasted = definitions.map((definition, index) =>
      review.tools[index]!.findings.reduce<object>(pasteRewrite, definition),
    )
    const reviewed = reviewTools(pasted.map((definition) => fromDefinition(definition)))
    before.push(...review.tools.map(({ score }) => score.overall))
    after.push(...reviewed.tools.map(({ score }) => score.overall))
  }
  const lower = before.filter((score, index) => after[index]! < score).length
  return { before: mean(before), after: mean(after), lower }
}

/** How many false annotations are found if every tool claims to be read-only. */
function measureAnnotations(
  lists: readonly ReviewedList[],
  file: string,
): { readonly targets: Target[]; readonly information: Figure[] } {
  const labels = JSON.parse(readFileSync(file, 'utf8')) as Labels
  const counts = { writer: 0, reader: 0, unclear: 0 }
  const flagged = { writer: 0, reader: 0, unclear: 0 }
  for (const { name, definitions } of lists) {
    const known = labels[name] ?? labels[`${name}.json`] ?? {}
    const claimed = definitions.map(
      (definition): ReviewedTool => ({
        ...fromDefinition(definition),
        annotations: { readOnlyHint: true },
      }),
    )
    for (const tool of reviewTools(claimed).tools) {
      const label = known[tool.name] ?? 'unclear'
      counts[label]++
      if (tool.findings.some(({ rule }) => rule === 'annotation-contradiction')) flagged[label]++
    }
  }
  return {
    targets: [
      {
        name: 'false read-only annotations found',
        figure: (flagged.writer / counts.writer) * 100,
        unit: '%',
        atLeast: 90,
      },
      {
        name: 'correct read-only annotations reported',
        figure: (flagged.reader / counts.reader) * 100,
        unit: '%',
        atMost: 1,
      },
    ],
    information: [
      { name: 'tools that change something', figure: counts.writer, unit: '' },
      { name: 'tools that only read', figure: counts.reader, unit: '' },
      { name: 'tools that are unclear or without a label', figure: counts.unclear, unit: '' },
    ],
  }
}

function rulesTable(lists: readonly ReviewedList[]): Table {
  const rows = new Map<string, { error: number; warning: number; note: number; rewrites: number }>()
  for (const { review } of lists)
    for (const finding of [
      ...review.tools.flatMap(({ findings }) => findings),
      ...(review.server?.findings ?? []),
    ]) {
      const row = rows.get(finding.rule) ?? { error: 0, warning: 0, note: 0, rewrites: 0 }
      row[finding.severity]++
      if (finding.rewrite !== null) row.rewrites++
      rows.set(finding.rule, row)
    }
  return {
    title: 'findings',
    head: ['rule', 'errors', 'warnings', 'notes', 'with a rewrite'],
    rows: [...rows]
      .sort(([, a], [, b]) => b.error + b.warning - a.error - a.warning || b.note - a.note)
      .map(([rule, { error, warning, note, rewrites }]) => [
        rule,
        ...[error, warning, note, rewrites].map(String),
      ]),
  }
}

function gradesTable(lists: readonly ReviewedList[]): Table {
  const grades = ['A', 'B', 'C', 'D'] as const
  const count = (found: readonly (string | undefined)[]): string[] =>
    grades.map((grade) => String(found.filter((each) => each === grade).length))
  return {
    title: 'grades',
    head: ['', ...grades],
    rows: [
      ['tools', ...count(lists.flatMap(({ review }) => review.tools.map(({ grade }) => grade)))],
      ['servers', ...count(lists.map(({ review }) => review.server?.grade))],
    ],
  }
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}
