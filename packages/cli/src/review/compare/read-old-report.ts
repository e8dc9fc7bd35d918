import { documentChecker } from '@curfew/extensions/internal'
import type { Finding, Grade } from '@curfew/review'
import { shortPath } from '../../short-path.ts'
import { oneLine } from '../../terminal.ts'
import { reportVersion } from '../json-report.ts'
import { readJsonDocument, UnreadableDocument } from '../read-json-document.ts'
import { reviewError } from '../review-error.ts'

/** What is read of an earlier `--json` report. */
export interface OldReport {
  readonly tools: readonly OldTool[]
  readonly servers: readonly (OldServer | { readonly name: string; readonly grade?: undefined })[]
  readonly complete: boolean
}

export interface OldTool extends Omit<OldServer, 'score'> {
  readonly score: { readonly overall: number }
}

export interface OldServer {
  readonly name: string
  readonly grade: Grade
  readonly score: number
  readonly findings: readonly OldFinding[]
}

export type OldFinding = Pick<Finding, 'rule' | 'severity' | 'message' | 'pointer' | 'count'>

const maxTools = 10_000
const string = { type: 'string' } as const
const grade = { enum: ['A', 'B', 'C', 'D'] } as const
const score = { type: 'number', minimum: 0, maximum: 5 } as const
const findings = {
  type: 'array',
  maxItems: 10_000,
  items: {
    type: 'object',
    properties: {
      rule: string,
      severity: { enum: ['error', 'warning', 'note'] },
      message: string,
      pointer: string,
      count: { type: 'integer', minimum: 1 },
    },
    required: ['rule', 'severity', 'message', 'pointer', 'count'],
  },
} as const

const check = documentChecker<OldReport>({
  type: 'object',
  properties: {
    tools: {
      type: 'array',
      maxItems: maxTools,
      items: {
        type: 'object',
        properties: {
          name: string,
          grade,
          score: { type: 'object', properties: { overall: score }, required: ['overall'] },
          findings,
        },
        required: ['name', 'grade', 'score', 'findings'],
      },
    },
    servers: {
      type: 'array',
      maxItems: maxTools,
      items: {
        type: 'object',
        // A server without tools has only a name.
        properties: { name: string, grade, score, findings },
        required: ['name'],
        dependentRequired: { grade: ['score', 'findings'] },
      },
    },
    complete: { type: 'boolean' },
  },
  required: ['tools', 'servers', 'complete'],
})

/** Reads the file given with `--compare`. Rejects with what was expected. */
export async function readOldReport(file: string): Promise<OldReport> {
  const name = shortPath(file)
  const { value } = await readJsonDocument(file).catch((error: unknown) => {
    if (!(error instanceof UnreadableDocument)) throw error
    throw reviewError(`--compare: ${name} ${oneLine(error.message)}; ${expected}`)
  })
  const { version } = Object(value) as { version?: unknown }
  if (version !== reportVersion) throw reviewError(`--compare: ${name} ${otherVersion(value)}; ${expected}`)
  const { document, problems } = check(value, file)
  if (document !== null) return document
  const messages = problems.map(({ field, message }) =>
    oneLine(field === null ? message : `${field}: ${message}`).slice(0, 300),
  )
  throw reviewError(`--compare: ${name} is not a report: ${messages.slice(0, 3).join('; ')}; ${expected}`)
}

const expected = 'expected a report of this version, written with curfew review --json'

function otherVersion(value: unknown): string {
  const { version, tools, totals } = Object(value) as Record<string, unknown>
  if (!Array.isArray(tools) || totals === undefined) return 'is not a report of curfew review'
  if (version === undefined) return 'is a report of an older version'
  return typeof version === 'number'
    ? `is a report of version ${version}, not ${reportVersion}`
    : 'has an invalid version'
}
