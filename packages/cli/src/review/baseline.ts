import { messageOf, objectSchema, replaceFile } from '@curfew/core/internal'
import { documentChecker } from '@curfew/extensions/internal'
import type { Finding } from '@curfew/review'
import { oneLine } from '../terminal.ts'
import { readJsonDocument, UnreadableDocument } from './read-json-document.ts'
import { reviewError } from './review-error.ts'
import type { ReportedSet } from './review-source.ts'

/** Known findings, which do not fail the review. */
export interface Baseline {
  readonly file: string
  readonly entries: ReadonlyMap<string, BaselineEntry>
}

export interface BaselineEntry {
  /** Its name, or the pattern of all tools of a server. */
  readonly tool: string
  readonly rule: string
  readonly pointer: string
}

const check = documentChecker<{ readonly findings: readonly BaselineEntry[] }>(
  objectSchema(['version', 'findings'], {
    version: { const: 1 },
    findings: {
      type: 'array',
      items: objectSchema(['tool', 'rule', 'pointer'], {
        tool: { type: 'string' },
        rule: { type: 'string' },
        pointer: { type: 'string' },
      }),
    },
  }),
)

export async function readBaseline(file: string): Promise<Baseline> {
  const { value } = await readJsonDocument(file).catch((error: unknown) => {
    if (!(error instanceof UnreadableDocument)) throw error
    const hint = error.isMissing ? '; create it with --write-baseline' : ''
    throw reviewError(`--baseline: ${file} ${error.message}${hint}`)
  })
  const { document, problems } = check(value, file)
  if (document === null) {
    const messages = problems.map(({ field, message }) =>
      oneLine(field === null ? message : `${field}: ${message}`),
    )
    throw reviewError(`--baseline: ${file} is not a baseline: ${messages.slice(0, 3).join('; ')}`)
  }
  return { file, entries: new Map(document.findings.map((entry) => [keyOf(entry), entry])) }
}

export function isKnown({ entries }: Baseline, tool: string, { rule, pointer }: Finding): boolean {
  return entries.has(keyOf({ tool, rule, pointer }))
}

/** Entries of the baseline that the review no longer finds. */
export function staleEntries(baseline: Baseline, sets: readonly ReportedSet[]): BaselineEntry[] {
  const found = new Set(entriesOf(sets).map(keyOf))
  return [...baseline.entries].filter(([key]) => !found.has(key)).map(([, entry]) => entry)
}

export async function writeBaseline(file: string, sets: readonly ReportedSet[]): Promise<number> {
  const entries = new Map(entriesOf(sets).map((entry) => [keyOf(entry), entry]))
  // Sorted, to avoid merge conflicts.
  const findings = [...entries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, entry]) => entry)
  const text = `${JSON.stringify({ version: 1, findings }, null, 2)}\n`
  await replaceFile(file, text, 0o666).catch((error: unknown) => {
    throw reviewError(`--baseline: ${file} cannot be written: ${messageOf(error)}`)
  })
  return findings.length
}

function entriesOf(sets: readonly ReportedSet[]): BaselineEntry[] {
  return sets
    .flatMap(({ pattern, findings, tools }) => [{ name: pattern, findings }, ...tools])
    .flatMap(({ name, findings }) => findings.map(({ rule, pointer }) => ({ tool: name, rule, pointer })))
}

function keyOf({ tool, rule, pointer }: BaselineEntry): string {
  return JSON.stringify([tool, rule, pointer])
}
