import { styleText } from 'node:util'
import { type CallResult, formatDuration, type Runtime } from '@curfew/core'
import { count, cut, wrap } from '../terminal.ts'
import { write } from '../write.ts'
import { showDemoRows } from './live-demo.ts'
import type { DemoReport, DemoReporter } from './run-demo.ts'
import type { CallReport, Claim } from './scene.ts'

/** Prints the demo as text. */
export class TextReporter implements DemoReporter {
  readonly #width: number
  readonly #live: boolean
  #runtime: Runtime | null = null

  constructor({ width, live }: { width: number; live: boolean }) {
    this.#width = width
    this.#live = live
  }

  begin(runtime: Runtime): void {
    this.#runtime = runtime
    this.#line(`${styleText('bold', 'curfew demo')}: real tool calls, no API key, no network, about 15 s`)
    this.#line(styleText('dim', `${columnTitles} (✓ = as expected)`))
  }

  scene(number: number, title: string): void {
    this.#line('')
    this.#line(styleText('bold', `${number}. ${title}`))
  }

  running(label?: string): () => void {
    return this.#live && this.#runtime !== null ? showDemoRows(this.#runtime, this.#width, label) : () => {}
  }

  call(report: CallReport): void {
    this.#line(callLine(report, this.#width))
    for (const problem of report.problems) this.#line(styleText('red', `    ${problem}`))
  }

  claim({ text, holds }: Claim): void {
    if (!holds) this.#line(styleText('red', `  ✗ not true: ${text}`))
    else for (const line of wrap(text, this.#width - 4)) this.#line(styleText('dim', `    ${line}`))
  }

  end(report: DemoReport): void {
    const { calls, asExpected, failedClaims, leftRunning, survivors, abandoned, elapsedMs, ok } = report
    const verdict = `${asExpected} of ${calls} calls ended as expected in ${formatDuration(elapsedMs)}.`
    this.#line('')
    this.#line(styleText(['bold', ok ? 'green' : 'red'], verdict))
    if (failedClaims > 0) this.#line(styleText('red', `${count(failedClaims, 'claim')} not true.`))
    this.#line(
      `Still running: ${count(leftRunning, 'call')}, ${survivors} ${survivors === 1 ? 'process' : 'processes'}.`,
    )
    if (abandoned > 0) {
      this.#paragraph(
        `Abandoned: ${count(abandoned, 'function')} that ignored the signal. The call ended without it; with isolation: 'thread', its code would have been stopped too.`,
      )
    }
    if (ok) this.#nextSteps()
  }

  #nextSteps(): void {
    // In a clone, only npx finds the command.
    const curfew = process.env.npm_lifecycle_event === undefined ? 'curfew' : 'npx curfew'
    this.#line('')
    this.#line(styleText('bold', 'Next:'))
    this.#line(`  ${curfew} new script hello    create a tool from a script`)
    this.#line(`  ${curfew} mcp import claude   run your agent's MCP servers through Curfew`)
    this.#line(`  ${curfew} --help              list all commands`)
  }

  #paragraph(text: string): void {
    for (const line of wrap(text, this.#width)) this.#line(line)
  }

  #line(text: string): void {
    write(`${text}\n`)
  }
}

const markWidth = 4
const labelWidth = 15
const endingWidth = 10
const timeWidth = 11
const summaryColumn = markWidth + labelWidth + endingWidth + timeWidth

const columnTitles: string =
  ' '.repeat(markWidth) +
  label('tool') +
  'ending'.padEnd(endingWidth) +
  'time/limit'.padEnd(timeWidth) +
  'outcome'

/** `  ✓ wait_forever   timed out 1.0s/1.0s  TOOL_TIMEOUT, safe to retry` */
function callLine(report: CallReport, width: number): string {
  const asExpected = report.problems.length === 0
  const mark = asExpected ? styleText('green', '✓') : styleText('red', '✗')
  const ending = endingOf(report.result).padEnd(endingWidth)
  // An expected timeout is not a failure of the demo, so only an unexpected ending is red.
  const shownEnding = asExpected ? ending : styleText('red', ending)
  const times = time(report.elapsedMs, report.result.timeoutMs)
  return `  ${mark} ${label(report.label)}${shownEnding}${times}${cut(report.summary, width - summaryColumn)}`
}

function endingOf(result: CallResult): string {
  if (result.status !== 'error') return result.status
  switch (result.code) {
    case 'TOOL_TIMEOUT':
    case 'TOOL_IDLE_TIMEOUT':
      return 'timed out'
    case 'DENIED':
      return 'denied'
    case 'CIRCUIT_OPEN':
      return 'rejected'
    default:
      return 'failed'
  }
}

function label(name: string): string {
  return cut(name, labelWidth - 1).padEnd(labelWidth)
}

function time(elapsedMs: number, limitMs: number | null): string {
  return `${seconds(elapsedMs)}/${limitMs === null ? '-' : seconds(limitMs)}`.padEnd(timeWidth)
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)}s`
}
