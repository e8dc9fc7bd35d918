import { parseJson } from '@curfew/core/internal'
import { languageRules } from './language-rules.ts'

/** What a model answered about one tool. Its strings are as long as it wanted. */
export interface Judgement {
  /** Reasons by the number of the finding, from 1. */
  readonly dismissed: ReadonlyMap<number, string>
  readonly added: readonly { readonly rule: string; readonly quote: string; readonly reason: string }[]
}

const maxLength = 200_000
const maxEntries = 200

/**
 * Reads the answer of a model: judgements by the number of the tool, from 1. Entries that are invalid or about an unknown rule are
 * left out.
 *
 * @throws Error if it is not such an answer at all.
 */
export function readJudgement(answer: string): ReadonlyMap<number, Judgement> {
  const { tools } = Object(parseAnswer(answer)) as { tools?: unknown }
  if (!Array.isArray(tools)) throw new Error('expected a JSON object with an array "tools"')
  const judgements = new Map<number, Judgement>()
  for (const { tool, findings, added } of objectsIn(tools)) {
    if (typeof tool !== 'number' || judgements.has(tool)) continue
    judgements.set(tool, { dismissed: readDismissed(findings), added: readAdded(added) })
  }
  return judgements
}

/** Models like to think aloud, and to wrap JSON in a code block. */
function parseAnswer(answer: string): unknown {
  if (answer.length > maxLength) throw new Error(`expected at most ${maxLength} characters`)
  const text = answer.slice(answer.lastIndexOf('</think>') + 1)
  const start = text.indexOf('{')
  const end = text.lastIndexOf('}')
  if (start < 0 || end < start) throw new Error('expected JSON, got other text')
  try {
    return parseJson(text.slice(start, end + 1))
  } catch {
    throw new Error('expected JSON, got something that cannot be parsed')
  }
}

function readDismissed(findings: unknown): Map<number, string> {
  const dismissed = new Map<number, string>()
  for (const { finding, verdict, reason } of objectsIn(findings)) {
    if (typeof finding !== 'number' || verdict !== 'dismiss' || !isText(reason)) continue
    dismissed.set(finding, reason)
  }
  return dismissed
}

function readAdded(added: unknown): Judgement['added'] {
  return objectsIn(added).flatMap(({ rule, quote, reason }) =>
    typeof rule === 'string' && languageRules.has(rule) && isText(quote) && isText(reason)
      ? [{ rule, quote, reason }]
      : [],
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function objectsIn(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  if (!Array.isArray(value)) return []
  return value.slice(0, maxEntries).filter((entry) => typeof entry === 'object' && entry !== null)
}
