import { writeFile } from 'node:fs/promises'
import { messageOf } from '@curfew/core/internal'
import { UsageError } from '../command.ts'
import { curfewVersion } from '../curfew-version.ts'
import { reportProblems } from '../report-problems.ts'
import { shortPath } from '../short-path.ts'
import { count, oneLine } from '../terminal.ts'
import { write } from '../write.ts'
import type { AppliedFix } from './apply-fixes.ts'
import { type Baseline, readBaseline, staleEntries, writeBaseline } from './baseline.ts'
import { fails, parseFailOn } from './fail-on.ts'
import { fileSource } from './file-source.ts'
import { jsonReport } from './json-report.ts'
import { markdownReport } from './markdown-report.ts'
import { reviewError } from './review-error.ts'
import type { Report } from './review-report.ts'
import { type ReportedSet, reviewSource } from './review-source.ts'
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
  readonly 'output-file': string | undefined
  readonly 'fail-on': string
  readonly baseline: string | undefined
  readonly 'write-baseline': boolean
  readonly fix: boolean
}

/** A fix can make another one possible. */
const maxRounds = 5

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
  const baseline =
    input.baseline === undefined || input['write-baseline'] ? null : await readBaseline(input.baseline)
  const reviewed = await review(() => open(input), baseline, input.fix)
  const { source, sets, fixed, failed } = reviewed
  reportProblems(source.problems)
  for (const notice of [...source.notices, ...failed]) process.stderr.write(`${oneLine(notice)}\n`)
  // A program expects a report in any case.
  if (sets.length === 0 && !input.json && !input.sarif) return 2
  const complete =
    failed.length === 0 && source.problems.every(({ severity }) => severity === 'warning') && sets.length > 0
  const stale = baseline && staleEntries(baseline, sets)
  await print({ sets, fixed, stale, complete }, input)
  if (!complete) {
    if (input['write-baseline'])
      process.stderr.write('the baseline was not written, because the review is incomplete\n')
    return 2
  }
  if (!input['write-baseline']) return fails(sets, failOn) ? 1 : 0
  const written = await writeBaseline(input.baseline!, sets)
  process.stderr.write(`${shortPath(input.baseline!)} now has ${count(written, 'finding')}\n`)
  return 0
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

async function print(report: Report, input: ReviewInput): Promise<void> {
  const { 'output-file': output } = input
  const text = format(report, input)
  if (output === undefined) {
    write(text)
    return
  }
  await writeFile(output, text).catch((error: unknown) => {
    throw reviewError(`--output-file: ${output} cannot be written: ${messageOf(error)}`)
  })
}

function format(report: Report, { json, sarif, markdown, all, 'output-file': output }: ReviewInput): string {
  if (json) return jsonReport(report)
  if (sarif) return sarifReport(report, curfewVersion())
  if (markdown) return markdownReport(report, all)
  const width = Math.max(40, Math.min(process.stdout.columns || 80, 100))
  const colours = output === undefined && process.stdout.hasColors?.() === true && !process.env.NO_COLOR
  return textReport(report, { width: output === undefined ? width : 80, colours, all })
}
