import { isTerminalInUse } from '../../ask/with-terminal.ts'
import { oneLine } from '../../terminal.ts'
import { write, writeError } from '../../write.ts'
import type { Menu, SessionState } from '../session/session-state.ts'
import type { TerminalSession } from '../session/terminal-session.ts'
import { createTheme } from '../theme/theme.ts'
import type { Layout, Transcript } from '../transcript/transcript.ts'
import { spokenDuration } from './spoken-duration.ts'

/** Wide enough for text where nobody sees the lines. */
const defaultWidth = 100
/** What was written to a pipe before the prompt should also appear before it. */
const pipeMs = 100
const theme = createTheme('plain')

/** Appends what is finished to standard output, and what only concerns the person now to standard error. Nothing is drawn over. */
export class PlainOutput {
  readonly #session: TerminalSession
  readonly #transcript: Transcript
  readonly #unsubscribe: readonly (() => void)[]
  #printed = 0
  #isPromptShown = false
  /** Set while the prompt waits for the output before it. */
  #timer: NodeJS.Timeout | null = null
  #before: SessionState

  constructor(session: TerminalSession, transcript: Transcript) {
    this.#session = session
    this.#transcript = transcript
    this.#before = session.state.getSnapshot()
    this.#unsubscribe = [
      transcript.subscribe(() => this.#print()),
      session.state.subscribe(() => this.#update()),
    ]
  }

  /** Writes lines for the person. */
  readonly say = (lines: readonly string[]): void => {
    this.#leavePrompt()
    writeError(lines.map((line) => `${line}\n`).join(''))
  }

  /** While a question is open, everything else waits. */
  hold(isHeld: boolean): void {
    this.#transcript.isHeld = isHeld
    if (!isHeld) this.#session.draw()
    this.#prompt()
  }

  /** What was typed has ended the line of the prompt. */
  endPrompt(): void {
    this.#isPromptShown = false
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  dispose(): void {
    this.#transcript.isHeld = false
    this.#session.draw()
    while (this.#transcript.flush());
    for (const unsubscribe of this.#unsubscribe) unsubscribe()
    this.#leavePrompt()
  }

  #print(): void {
    const { items } = this.#transcript.getSnapshot()
    const fresh = items.filter(({ id }) => id > this.#printed)
    this.#printed = fresh.at(-1)?.id ?? this.#printed
    const lines = fresh.flatMap((item) => item.lines(currentLayout()))
    if (lines.length === 0) return
    this.#leavePrompt()
    write(lines.map((line) => `${line}\n`).join(''))
  }

  #update(): void {
    const before = this.#before
    const now = this.#session.state.getSnapshot()
    this.#before = now
    if (now.retry !== null && now.retry !== before.retry) this.say([describeRetry(now.retry)])
    if (now.menu !== null && now.menu.entries !== before.menu?.entries) this.say(describeMenu(now.menu))
    if (now.queued.length > before.queued.length) this.say(['This message waits for the running calls.'])
    if (now.isClosing || this.#session.opened === null || this.#session.isBusy) return
    this.#session.draw()
    this.#prompt()
  }

  #prompt(): void {
    const { isClosing } = this.#session.state.getSnapshot()
    if (isClosing || this.#isPromptShown || this.#session.isBusy || isTerminalInUse()) return
    if (this.#session.opened === null) return
    this.#isPromptShown = true
    if (process.stdout.isTTY) writeError('> ')
    else this.#timer ??= setTimeout(() => this.#writePrompt(), pipeMs)
  }

  #writePrompt(): void {
    this.#timer = null
    if (this.#isPromptShown) writeError('> ')
  }

  #leavePrompt(): void {
    const isWritten = this.#isPromptShown && this.#timer === null
    this.endPrompt()
    if (isWritten) writeError('\n')
  }
}

/** The terminal echoes what is typed; only what goes elsewhere has to repeat it. */
function currentLayout(): Layout {
  const { isTTY, columns } = process.stdout
  return { width: (isTTY && columns) || defaultWidth, theme, isSpoken: true, isEchoed: isTTY === true }
}

function describeRetry({ cause, attempt, maxAttempts, at }: NonNullable<SessionState['retry']>): string {
  const wait = spokenDuration(Math.max(0, at - Date.now()))
  return `${oneLine(cause)}. Attempt ${attempt} of ${maxAttempts} follows in ${wait}.`
}

function describeMenu({ title, entries }: Menu): string[] {
  const shown = entries.map(({ label, description = '' }, index) =>
    oneLine(`${index + 1}: ${label}${description === '' ? '' : `, ${description}`}`),
  )
  return [oneLine(title), ...shown, 'Type a number to choose, or anything else to go on.']
}
