import { styleText } from 'node:util'
import { formatDuration, type Runtime } from '@curfew/core'
import { wrap } from '../terminal.ts'
import { write } from '../write.ts'
import type { Audience } from './audience.ts'
import { callLine, columnTitles } from './call-line.ts'
import { showLiveLine } from './live-line.ts'
import type { DemoReport } from './run-demo.ts'
import type { CallReport, Claim } from './scene.ts'

/** Someone who reads lines of text, in a terminal or later. */
export class TextAudience implements Audience {
  readonly #width: number
  readonly #live: boolean
  #runtime: Runtime | null = null

  constructor({ width, live }: { width: number; live: boolean }) {
    this.#width = width
    this.#live = live
  }

  begin(runtime: Runtime): void {
    this.#runtime = runtime
    this.#line(
      `${styleText('bold', 'curfew demo')}: real calls on a real runtime; no key, no network, about 15 s`,
    )
    this.#line(styleText('dim', columnTitles))
  }

  scene(number: number, title: string): void {
    this.#line('')
    this.#line(styleText('bold', `${number}. ${title}`))
  }

  running(label?: string): () => void {
    return this.#live && this.#runtime !== null ? showLiveLine(this.#runtime, this.#width, label) : () => {}
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
    const parts = [`${calls} calls`, `${asExpected} ended as they should`, `${leftRunning} left running`]
    if (abandoned > 0) parts.push(`${abandoned} tool abandoned`)
    if (failedClaims > 0) parts.push(`${failedClaims} claims not true`)
    this.#line('')
    this.#line(`survivors: ${survivors} (processes that outlived their call)`)
    this.#line(styleText(['bold', ok ? 'green' : 'red'], `${parts.join(', ')}; ${formatDuration(elapsedMs)}`))
  }

  #line(text: string): void {
    write(`${text}\n`)
  }
}
