import { capText } from '@curfew/core/internal'
import { jsonAnswer, trimmed } from './json-answer.ts'

export type ReviewVerdict = 'approve' | 'revise'

/** What one reviewer found in one round. */
export interface Opinion {
  readonly reviewer: string
  /** `null` if its answer contains none. */
  readonly verdict: ReviewVerdict | null
  readonly findings: readonly Finding[]
  /** The answer as text, for the other reviewers if it is not structured. */
  readonly text: string
}

export interface Finding {
  readonly severity: Severity
  readonly title: string
  readonly location: string
  readonly details: string
}

export const severities = ['high', 'medium', 'low'] as const
export type Severity = (typeof severities)[number]

const maxFindings = 50
const maxText = 8_000

export const answerShape: string =
  'End your answer with one JSON object: {"verdict": "approve" | "revise", "findings": [{"severity": "high" | "medium" | "low", "title": "one line", "location": "file:line, or empty", "details": "what is wrong, and how to fix it"}]}. ' +
  'Use "approve" if nothing has to change; report only what you have checked.'

/** Reads the answer of a reviewer. One without JSON is an opinion without a verdict, whose text is its finding. */
export function readOpinion(reviewer: string, answer: string): Opinion {
  const text = capText(answer.trim(), maxText)
  const value = jsonAnswer(answer)
  const findings = (Array.isArray(value?.findings) ? value.findings : [])
    .slice(0, maxFindings)
    .map(readFinding)
    .filter(({ title }) => title !== '')
  const verdict = readVerdict(value?.verdict)
  if (verdict !== null || findings.length > 0) return { reviewer, verdict, findings, text }
  const title = `${reviewer} answered in its own words`
  return {
    reviewer,
    verdict: null,
    findings: [{ severity: 'medium', title, location: '', details: text }],
    text,
  }
}

function readVerdict(value: unknown): ReviewVerdict | null {
  const text = trimmed(value).toLowerCase()
  if (/^(approve|accept|pass|lgtm)/.test(text)) return 'approve'
  return /^(revise|reject|request|change|fail|block)/.test(text) ? 'revise' : null
}

function readFinding(value: unknown): Finding {
  const { severity, title, location, details } = Object(value) as Record<string, unknown>
  const known = severities.find((one) => one === trimmed(severity).toLowerCase())
  return {
    severity: known ?? 'medium',
    title: capText(trimmed(title), 300),
    location: capText(trimmed(location), 300),
    details: capText(trimmed(details), 2_000),
  }
}

/** An opinion as other reviewers see it. */
export function showOpinion({ reviewer, verdict, findings, text }: Opinion): string {
  if (verdict === null) return `${reviewer} (no verdict):\n${text}`
  const lines = findings.map(showFinding)
  return `${reviewer}: ${verdict}${lines.length === 0 ? ', no findings' : `\n${lines.join('\n')}`}`
}

export function showFinding({ severity, title, location, details }: Finding): string {
  const where = location === '' ? '' : ` (${location})`
  return `- [${severity}] ${title}${where}${details === '' ? '' : `\n  ${details.replaceAll('\n', '\n  ')}`}`
}
