import { performance } from 'node:perf_hooks'
import { ModelError } from '@curfew/agent'
import { messageOf } from '@curfew/core/internal'
import type { Finding, Severity } from '@curfew/review'
import { count, cut } from '../../terminal.ts'
import {
  bySeverity,
  type FindingReporter,
  judgementPrefix,
  type ReportedFinding,
  type ReportedSet,
  type ReportedTool,
} from '../review-source.ts'
import { findQuote } from './find-quote.ts'
import { batchTools, judgedFindings, judgeRequest, type ToJudge } from './judge-request.ts'
import { languageRules } from './language-rules.ts'
import type { Judge } from './open-judge.ts'
import { type Judgement, readJudgement } from './read-judgement.ts'

/** `judge` in the JSON report. */
export interface JudgeSummary {
  /** `provider:name`. */
  readonly model: string
  /** The number of tools. */
  readonly judged: number
  /** The number of findings. */
  readonly dismissed: number
  readonly added: number
  /** The number of tools without a judgement, which keep the findings of the rules. */
  readonly failed: number
}

interface JudgeOptions {
  readonly judge: Judge
  readonly report: FindingReporter
  /** For all requests together. */
  readonly totalMs?: number
  onProgress?(done: number, total: number): void
}

export interface JudgedSets {
  readonly sets: readonly ReportedSet[]
  readonly summary: JudgeSummary
  /** Why tools were not judged. */
  readonly notices: readonly string[]
}

const defaultTotalMs = 10 * 60_000
const requestMs = 3 * 60_000
const idleMs = 60_000
const parallelRequests = 3
/** After so many failures in a row, the other tools are not sent. */
const maxFailures = 3
const maxReasonLength = 200
const maxAdded = 5

/** Lets a model dismiss and add findings about language. What it does not judge stays as it is. Never rejects. */
export async function judgeSets(sets: readonly ReportedSet[], options: JudgeOptions): Promise<JudgedSets> {
  const { judge } = options
  const toJudge = sets.flatMap(({ tools }) => tools).map(toJudgeOf)
  const { judgements, problems } = await askAll(toJudge, options)
  let dismissed = 0
  let added = 0
  const judgedTool = (tool: ReportedTool): ReportedTool => {
    const judged = judgements.get(tool)
    if (judged === undefined) return tool
    const found = judged.added.map((finding) => options.report.about(tool.source, finding))
    dismissed += judged.dismissed.size
    added += found.length
    return {
      ...tool,
      findings: [...tool.findings.filter((finding) => !judged.dismissed.has(finding)), ...found].sort(
        bySeverity,
      ),
      suppressed: [
        ...tool.suppressed,
        ...[...judged.dismissed].map(([finding, reason]) => ({ finding, reason })),
      ],
    }
  }
  const judgedSets = sets.map((set) => ({ ...set, tools: set.tools.map(judgedTool) }))
  const failed = toJudge.length - judgements.size
  return {
    sets: judgedSets,
    summary: { model: judge.model, judged: judgements.size, dismissed, added, failed },
    notices: [...problems].map(
      ([problem, number]) =>
        `--judge: ${count(number, 'tool')} ${number === 1 ? 'was' : 'were'} not judged: ${problem}`,
    ),
  }
}

interface ReportedToJudge extends ToJudge<ReportedFinding> {
  readonly reported: ReportedTool
}

/** Errors and possible injections are never dismissed: a definition may talk the model into it. */
function toJudgeOf(reported: ReportedTool): ReportedToJudge {
  const findings = reported.findings.filter(
    ({ rule, severity, known }) =>
      languageRules.has(rule) && severity !== 'error' && rule !== 'agent-instruction' && !known,
  )
  return { reported, tool: reported.source.tool, findings }
}

interface ToolJudgement {
  readonly dismissed: ReadonlyMap<ReportedFinding, string>
  readonly added: readonly Finding[]
}

interface Asked {
  readonly judgements: ReadonlyMap<ReportedTool, ToolJudgement>
  /** The number of tools by problem. */
  readonly problems: ReadonlyMap<string, number>
}

async function askAll(tools: readonly ReportedToJudge[], options: JudgeOptions): Promise<Asked> {
  const { judge, totalMs = defaultTotalMs, onProgress } = options
  const deadline = performance.now() + totalMs
  const judgements = new Map<ReportedTool, ToolJudgement>()
  const problems = new Map<string, number>()
  const waiting = batchTools(tools)
  let failuresInRow = 0
  let lastProblem = ''
  let done = 0
  /** Returns why the tools without a judgement have none. */
  const ask = async (batch: readonly ReportedToJudge[]): Promise<string> => {
    const remaining = deadline - performance.now()
    if (failuresInRow >= maxFailures) return lastProblem
    if (remaining <= 0) return `the limit of ${Math.round(totalMs / 1_000)} s was reached`
    try {
      const total = Math.ceil(Math.min(requestMs, remaining))
      const idle = Math.min(idleMs, total)
      const limits = { firstToken: idle, idle, total, maxAttempts: 3, maxCharacters: 400_000 }
      const answer = readJudgement(await judge.ask(judgeRequest(batch), limits))
      for (const [index, one] of batch.entries()) {
        const judgement = answer.get(index + 1)
        if (judgement !== undefined) judgements.set(one.reported, applyJudgement(one, judgement, judge))
      }
      failuresInRow = 0
      return 'the answer of the model does not mention them'
    } catch (error) {
      const isFinal = error instanceof ModelError && (error.kind === 'auth' || error.kind === 'quota')
      failuresInRow = isFinal ? maxFailures : failuresInRow + 1
      lastProblem =
        error instanceof ModelError
          ? cut(judge.redact(error.message), 300)
          : `the answer of the model is invalid: ${cut(messageOf(error), 300)}`
      return lastProblem
    }
  }
  const work = async (): Promise<void> => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      const problem = await ask(batch)
      const failed = batch.filter(({ reported }) => !judgements.has(reported)).length
      if (failed > 0) problems.set(problem, (problems.get(problem) ?? 0) + failed)
      done += batch.length
      onProgress?.(done, tools.length)
    }
  }
  await Promise.all(Array.from({ length: parallelRequests }, work))
  return { judgements, problems }
}

function applyJudgement(one: ReportedToJudge, judgement: Judgement, judge: Judge): ToolJudgement {
  const shorten = (reason: string): string =>
    cut(judge.redact(reason.slice(0, 4 * maxReasonLength)), maxReasonLength)
  const dismissed = new Map<ReportedFinding, string>()
  for (const [index, finding] of judgedFindings(one).entries()) {
    const reason = judgement.dismissed.get(index + 1)
    if (reason !== undefined) dismissed.set(finding, judgementPrefix + shorten(reason))
  }
  const added: Finding[] = []
  for (const { rule, quote, reason } of judgement.added) {
    const pointer = findQuote(one.tool, quote)
    if (pointer === null || added.length === maxAdded || isKnownProblem(one.reported, added, rule, pointer))
      continue
    const message = `judge: ${shorten(reason)} (${JSON.stringify(cut(quote, 80))})`
    added.push({ rule, severity: severityOf(one, rule), message, rewrite: null, pointer, count: 1 })
  }
  return { dismissed, added }
}

/** Already reported, or suppressed by the author. */
function isKnownProblem(
  { findings, source }: ReportedTool,
  added: readonly Finding[],
  rule: string,
  pointer: string,
): boolean {
  if (source.tool.suppressions.some((suppression) => suppression.rule === rule)) return true
  return [...findings, ...added].some((finding) => finding.rule === rule && finding.pointer === pointer)
}

/** That of the rule, but not an error: a model may be wrong. */
function severityOf({ tool }: ToJudge, id: string): Severity {
  const { severity, publishedSeverity } = languageRules.get(id)!
  const usual = tool.curfew === undefined ? publishedSeverity : severity
  return usual === 'error' ? 'warning' : usual
}
