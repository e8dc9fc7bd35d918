import { writeFile } from 'node:fs/promises'
import { messageOf } from '@curfew/core/internal'
import { type Command, UsageError } from '../command.ts'
import { curfewVersion } from '../curfew-version.ts'
import { parseDurationOption } from '../parse-duration-option.ts'
import { parseCommandLine } from '../parse-options.ts'
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

const options = {
  mcp: { type: 'string' },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
  sarif: { type: 'boolean' },
  markdown: { type: 'boolean' },
  all: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  'fail-on': { type: 'string' },
  baseline: { type: 'string' },
  'write-baseline': { type: 'boolean' },
  fix: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

type Values = ReturnType<typeof parseCommandLine<typeof options>>['values']

/** A fix may make room for another. */
const maxRounds = 5

export const command: Command = {
  async run(args) {
    const { values, positionals } = parseCommandLine('review', args, options, 1)
    if (values.help) {
      write(help)
      return 0
    }
    try {
      return await run(values, positionals[0])
    } catch (error) {
      // Exit code 1 would say that something was found.
      if (error instanceof UsageError || process.env.CURFEW_DEBUG === '1') throw error
      throw reviewError(`${oneLine(messageOf(error))} (CURFEW_DEBUG=1 shows where)`)
    }
  },
}

async function run(values: Values, path: string | undefined): Promise<number> {
  checkOptions(values, path)
  const failOn = parseFailOn(values['fail-on'] ?? 'warning')
  const baseline =
    values.baseline === undefined || values['write-baseline'] ? null : await readBaseline(values.baseline)
  const reviewed = await review(() => open(values, path), baseline, values.fix ?? false)
  const { source, sets, fixed, failed } = reviewed
  reportProblems(source.problems)
  for (const notice of [...source.notices, ...failed]) process.stderr.write(`${oneLine(notice)}\n`)
  // Programs get a report all the same.
  if (sets.length === 0 && !values.json && !values.sarif) return 2
  const complete =
    failed.length === 0 && source.problems.every(({ severity }) => severity === 'warning') && sets.length > 0
  const stale = baseline && staleEntries(baseline, sets)
  await print({ sets, fixed, stale, complete }, values)
  if (!complete) {
    if (values['write-baseline'])
      process.stderr.write('the baseline was not written: it would lack something\n')
    return 2
  }
  if (!values['write-baseline']) return fails(sets, failOn) ? 1 : 0
  const written = await writeBaseline(values.baseline!, sets)
  process.stderr.write(`${shortPath(values.baseline!)} has ${count(written, 'finding')} now\n`)
  return 0
}

function checkOptions(values: Values, path: string | undefined): void {
  const formats = (['json', 'sarif', 'markdown'] as const).filter((format) => values[format])
  if (formats.length > 1) throw reviewError(`--${formats.join(' and --')} exclude each other; choose one`)
  if (values.mcp !== undefined && path !== undefined) {
    throw reviewError(`it reviews ${JSON.stringify(path)} or --mcp, not both`)
  }
  if (values.timeout !== undefined && values.mcp === undefined) throw reviewError('--timeout goes with --mcp')
  if (values['write-baseline'] && values.baseline === undefined) {
    throw reviewError('--write-baseline needs --baseline FILE, which it writes')
  }
  if (values.fix && values.mcp !== undefined)
    throw reviewError('--fix changes files of tools; --mcp has none')
}

/** Only what is needed is loaded: the parts that speak to servers and run tools take longer than a review. */
async function open({ mcp, timeout }: Values, path: string | undefined): Promise<ToolSource> {
  if (mcp !== undefined) {
    const startTimeoutMs = timeout === undefined ? undefined : parseDurationOption(timeout, '--timeout')
    const { liveSource } = await import('./live-source.ts')
    return await liveSource(mcp, startTimeoutMs)
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

async function print(report: Report, values: Values): Promise<void> {
  const { output } = values
  const text = format(report, values)
  if (output === undefined) {
    write(text)
    return
  }
  await writeFile(output, text).catch((error: unknown) => {
    throw reviewError(`--output: ${output} cannot be written: ${messageOf(error)}`)
  })
}

function format(report: Report, { json, sarif, markdown, all = false, output }: Values): string {
  if (json) return jsonReport(report)
  if (sarif) return sarifReport(report, curfewVersion())
  if (markdown) return markdownReport(report, all)
  const width = Math.max(40, Math.min(process.stdout.columns || 80, 100))
  const colours = output === undefined && process.stdout.hasColors?.() === true && !process.env.NO_COLOR
  return textReport(report, { width: output === undefined ? width : 80, colours, all })
}

const help = `Usage: curfew review [PATH | -] [options]
       curfew review --mcp "COMMAND ARGS" | URL [options]

Review the definitions of tools as a model will read them: what is wrong, with
a better wording, and a grade from A to D. Without PATH: the tools that are
configured here. PATH is a folder of scripts or APIs, one of their files, or
what a server answers to tools/list; - is standard input. Nothing is run, but
for the server that --mcp names and configured ones that were never seen.

  --mcp "COMMAND"|URL   start this MCP server, or ask it, and review its tools
  --timeout DURATION    for the server to start; 30s by default
  --json, --sarif, --markdown
                        print it so instead
  --all                 cut nothing; with evidence for every point of the score
  -o, --output FILE     write it there
  --fail-on WHAT        error, warning (default), note, grade:B or never; with a
                        comma a severity and a grade
  --baseline FILE       what stands there does not fail
  --write-baseline      write all there is now to that file
  --fix                 write what is safe into your tool.json and API files
  -h, --help            show this

Exit: 0 clean, 1 findings, 2 if something could not be reviewed.
A tool's own file may say which rules do not apply to it, and why:
  "review": { "ignore": [{ "rule": "...", "reason": "..." }] }
`
