import { styleText } from 'node:util'
import { formatDuration } from '@curfew/core'
import { escapeInvisible } from '@curfew/core/internal'
import { isTerminalInUse } from '../ask/with-terminal.ts'
import { cut, hang, terminalWidth } from '../terminal.ts'
import { outputClosed, writeError } from '../write.ts'
import type { CallRecord } from './call-record.ts'
import type { Notice } from './prompt-output.ts'

/** An error may contain the output of a command. */
const maxMessageLength = 600
const maxInputLength = 160

/** What happens during a run, in short lines on standard error. */
export class Activity {
  /** The answer is on the same terminal, and its last line is not complete. */
  isMidLine = false
  /** Lines that wait until a question on the screen is answered. */
  #held: (() => void)[] = []

  /** A line without control characters, wrapped on a terminal. Nothing is shown once nobody reads the answer. */
  line(text: string, lead = ''): void {
    if (outputClosed.aborted) return
    if (isTerminalInUse()) {
      this.#held.push(() => this.line(text, lead))
      return
    }
    this.flush()
    const columns = terminalWidth(process.stderr)
    const lines = hang(lead, cut(text, maxMessageLength + 2 * maxInputLength), columns, lead === '' ? 0 : 2)
    writeError(`${this.isMidLine && process.stderr.isTTY ? '\n' : ''}${lines.join('\n')}\n`)
    this.isMidLine = false
  }

  /** Shows what was held back. */
  flush(): void {
    if (isTerminalInUse()) return
    for (const show of this.#held.splice(0)) show()
  }

  /** A call that has ended. `isTyped`: its result, and so its error, is printed anyway. */
  call(
    { status, name, input, durationMs, code, content = '', parentUid }: CallRecord,
    isTyped = false,
  ): void {
    if (durationMs === undefined) return
    const isSuccess = status === 'success'
    const indent = parentUid === null ? '' : '  '
    const mark = styleText(isSuccess ? 'green' : 'red', isSuccess ? '✓' : '✗', { stream: process.stderr })
    const args = showInput(input)
    // The content of a failed call begins with its code.
    const error = isSuccess ? '' : ` ${isTyped ? code : cut(content, maxMessageLength)}`
    this.line(
      `${name}${args === '' ? '' : ` ${args}`} (${formatDuration(durationMs)})${error}`,
      `${indent}${mark} `,
    )
  }

  notice(notice: Notice): void {
    if (notice.kind !== 'retry') return this.line(notice.message)
    const { cause, attempt, maxAttempts, delayMs } = notice
    this.line(`${cause}; attempt ${attempt + 1} of ${maxAttempts} in ${formatDuration(delayMs)}`)
  }
}

/** The arguments of a call in one short line. */
export function showInput(input: unknown): string {
  const json = JSON.stringify(input) ?? ''
  return json === '{}' ? '' : cut(escapeInvisible(json), maxInputLength)
}
