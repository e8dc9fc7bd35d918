import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { messageOf } from '@curfew/core/internal'
import { UsageError } from '../command.ts'
import { curfewVersion } from '../curfew-version.ts'
import { reportProblems } from '../report-problems.ts'
import { shortPath } from '../short-path.ts'
import { count, oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import type { AppliedFix } from './apply-fixes.ts'
import { type Baseline, readBaseline, staleEntries, writeBaseline } from './baseline.ts'
import { compareReports, newFindingsOf } from './compare/compare-reports.ts'
import { markdownComparison, textComparison } from './compare/comparison-report.ts'
import type { OldReport } from './compare/read-old-report.ts'
import { type FailOn, fails, parseFailOn } from './fail-on.ts'
import { fileSource } from './file-source.ts'
import { jsonReport } from './json-report.ts'
import type { StartedJudge } from './judge/start-judge.ts'
import { markdownReport } from './markdown-report.ts'
import { reviewError } from './review-error.ts'
import type { Report } from './review-report.ts'
import { type ReportedFinding, type ReportedSet, reviewSource } from './review-source.ts'
import { sarifReport } from './sarif-report.ts'
import { textReport } from './text-report.ts'
import type { ToolSource } from './tool-source.ts'

interface ReviewInput {
  readonly path: string | undefined
  readonly mcp: string | undefined
  /** In milliseconds. */
  readonly timeout: number | undefined
  readonly json: boolean
  readonly sarif: boolean
  readonly markdown: boolean
  readonly all: boolean
  readonly strict: boolean
  readonly compare: string | undefined
  readonly judge: string | undefined
  readonly 'output-file': string | undefined
  readonly 'fail-on': string
  readonly baseline: string | undefined
  readonly 'write-baseline': boolean
  readonly fix: boolean
}

/** A fix can make another one possible, and changes one place at a time. */
const maxRounds = 50

/** `curfew review`. Returns the exit code. */
export async function runReview(input: ReviewInput): Promise<number> {
  try {
    return await run(input)
  } catch (error) {
    // Exit code 1 would mean that there are findings.
    if (error instanceof UsageError || process.env.CURFEW_DEBUG === '1') throw error
    throw reviewError(`${oneLine(messageOf(error))} (CURFEW_DEBUG=1 shows the stack)`)
  }
}

async function run(input: ReviewInput): Promise<number> {
  if (input.mcp !== undefined && input.path !== undefined)
    throw reviewError(`expected PATH or --mcp, got both: ${JSON.stringify(input.path)} and --mcp`)
  const failOn = parseFailOn(input['fail-on'])
  await checkTargets(input)
  const baseline =
    input.baseline === undefined || input['write-baseline'] ? null : await readBaseline(input.baseline)
  const old = input.compare === undefined ? null : await readOld(input.compare)
  const judge = input.judge === undefined ? null : await openJudge(input.judge)
  const { source, fixed, failed, ...reviewed } = await review(() => open(input), baseline, input.fix)
  reportProblems(source.problems)
  const notices = [...source.notices, ...failed, ...incompleteNotice(input.compare, old)]
  for (const notice of notices) process.stderr.write(`${oneLine(notice)}\n`)
  const judged = judge && (await judge(reviewed.sets, baseline))
  const sets = judged?.sets ?? reviewed.sets
  // A program expects a report in any case.
  if (sets.length === 0 && !input.json && !input.sarif) return 2
  const complete =
    failed.length === 0 && source.problems.every(({ severity }) => severity === 'warning') && sets.length > 0
  const stale = baseline && staleEntries(baseline, sets)
  const comparison = old && compareReports(input.compare!, old, sets)
  await print({ sets, fixed, stale, complete, judge: judged?.summary ?? null, comparison }, failOn, input)
  if (!complete) {
    if (input['write-baseline'])
      process.stderr.write('the baseline was not written, because the review is incomplete\n')
    return 2
  }
  if (!input['write-baseline']) {
    const added = comparison && newFindingsOf(comparison)
    const isNew = (finding: ReportedFinding): boolean => !finding.known && (added?.has(finding) ?? true)
    return fails(sets, failOn, isNew) ? 1 : 0
  }
  const written = await writeBaseline(input.baseline!, sets)
  process.stderr.write(`${shortPath(input.baseline!)} now has ${count(written, 'finding')}\n`)
  return 0
}

async function readOld(file: string): Promise<OldReport> {
  return await (await import('./compare/read-old-report.ts')).readOldReport(file)
}

function incompleteNotice(file: string | undefined, old: OldReport | null): string[] {
  return old?.complete === false ? [`--compare: ${file} is incomplete, so some tools may seem to be new`] : []
}

/** Opens the model before anything is reviewed, so that a wrong name is reported at once. */
async function openJudge(name: string): Promise<StartedJudge> {
  return await (await import('./judge/start-judge.ts')).startJudge(name)
}

/** Neither the reviewed file nor another one that is not a baseline may be overwritten. */
async function checkTargets({ path, baseline, 'output-file': output, ...input }: ReviewInput): Promise<void> {
  const isReviewed = (file: string | undefined): boolean =>
    path !== undefined && file !== undefined && resolve(file) === resolve(path)
  if (isReviewed(output)) throw reviewError(`--output-file: ${output} is the reviewed file; name another one`)
  if (!input['write-baseline'] || baseline === undefined) return
  if (isReviewed(baseline))
    throw reviewError(`--baseline: ${baseline} is the reviewed file; name another one`)
  if (existsSync(baseline)) await readBaseline(baseline)
}

/** Loads only the required source, because the MCP client takes longer to load than a review takes to run. */
async function open({ mcp, timeout, path }: ReviewInput): Promise<ToolSource> {
  if (mcp !== undefined) {
    const { liveSource } = await import('./live-source.ts')
    return await liveSource(mcp, timeout)
  }
  if (path !== undefined) return await fileSource(path)
  const { configuredSource } = await import('./configured-source.ts')
  return await configuredSource()
}

interface Reviewed {
  readonly source: ToolSource
  readonly sets: readonly ReportedSet[]
  readonly fixed: readonly AppliedFix[] | null
  readonly failed: readonly string[]
}

async function review(
  read: () => Promise<ToolSource>,
  baseline: Baseline | null,
  fix: boolean,
): Promise<Reviewed> {
  const fixed: AppliedFix[] = []
  for (let round = 1; ; round++) {
    const source = await read()
    const sets = reviewSource(source.sets, baseline)
    if (!fix) return { source, sets, fixed: null, failed: [] }
    const { applyFixes } = await import('./apply-fixes.ts')
    const applied = round > maxRounds ? { fixed: [], failed: [] } : await applyFixes(sets)
    fixed.push(...applied.fixed)
    if (applied.failed.length > 0) {
      const now = applied.fixed.length === 0 ? source : await read()
      return { source: now, sets: reviewSource(now.sets, baseline), fixed, failed: applied.failed }
    }
    if (applied.fixed.length === 0) return { source, sets, fixed, failed: [] }
  }
}

async function print(report: Report, failOn: FailOn, input: ReviewInput): Promise<void> {
  const { 'output-file': output } = input
  // A note that fails the review is shown.
  const text = format(report, { ...input, strict: input.strict || failOn.severity === 'note' })
  if (output === undefined) {
    write(text)
    return
  }
  await writeFile(output, text).catch((error: unknown) => {
    throw reviewError(`--output-file: ${output} cannot be written: ${messageOf(error)}`)
  })
}

function format(report: Report, input: ReviewInput): string {
  const { json, sarif, markdown, all, strict, 'output-file': output } = input
  const { comparison } = report
  if (json) return jsonReport(report)
  if (sarif) return sarifReport(report, curfewVersion())
  if (markdown)
    return comparison === null
      ? markdownReport(report, { all, strict })
      : markdownComparison(report, comparison, strict)
  const width = Math.max(40, Math.min(process.stdout.columns || 80, 100))
  const colours = output === undefined && process.stdout.hasColors?.() === true && !process.env.NO_COLOR
  const options = { width: output === undefined ? width : 80, colours, all, strict }
  return comparison === null ? textReport(report, options) : textComparison(report, comparison, options)
}
