import { type Interruption, watchInterruptions } from '../../agent/interruption.ts'
import type { OpenedAgent } from '../../agent/open-agent.ts'
import type { PromptInput } from '../../agent/prompt-run.ts'
import { WaitingLines } from '../../agent/waiting-lines.ts'
import { isTerminalInUse, lendTerminal } from '../../ask/with-terminal.ts'
import { curfewVersion } from '../../curfew-version.ts'
import { Recorder } from '../../journal/recorder.ts'
import { type SessionChoice, shortId } from '../../sessions/choose-session.ts'
import { homePath } from '../../short-path.ts'
import { stopTogether } from '../../stop-together.ts'
import { cut } from '../../terminal.ts'
import { conversationHost } from '../session/conversation-host.ts'
import { openConversation } from '../session/open-conversation.ts'
import { replaceConversation } from '../session/replace-conversation.ts'
import { TerminalSession } from '../session/terminal-session.ts'
import { Transcript } from '../transcript/transcript.ts'
import { askInLines } from './ask-in-lines.ts'
import { CallAnnouncer } from './call-announcer.ts'
import { PlainOutput } from './plain-output.ts'
import { TerminalLines } from './terminal-lines.ts'

/** Two presses of Ctrl-C within this time quit. */
const quitMs = 2_000
const maxListed = 20

/** The interactive agent in lines of plain text: for screen readers, and if standard output is not a terminal. */
export class PlainTerminal {
  readonly #input: PromptInput
  readonly #interruption: Interruption = watchInterruptions(() => this.#interrupt())
  readonly #recorder = new Recorder('terminal')
  readonly #transcript = new Transcript()
  readonly #announcer = new CallAnnouncer()
  readonly #session: TerminalSession = new TerminalSession({
    transcript: this.#transcript,
    formatCalls: (rows) => this.#announcer.lines(rows),
    openCalls: () => this.#listCalls(),
    returnToInput: (text) =>
      this.#output.say(['Not sent:', ...text.split('\n').map((line) => cut(line, 200))]),
  })
  readonly #output = new PlainOutput(this.#session, this.#transcript)
  readonly #lines = new TerminalLines(process.stdin, {
    onText: (text) => this.#submit(text),
    onEnd: () => this.#quit(),
  })
  readonly #waiting = new WaitingLines({
    onWaiting: ({ message }) => this.#output.say([message]),
    isSuspended: isTerminalInUse,
  })
  #opening: Promise<void> = Promise.resolve()
  #interruptedAt = Number.NEGATIVE_INFINITY
  #stopWatching: () => void = () => {}
  readonly #ended = new AbortController()

  constructor(input: PromptInput) {
    this.#input = input
  }

  async run(): Promise<number> {
    const { signal } = this.#interruption
    signal.addEventListener('abort', () => this.#quit(), { once: true })
    const stopStopping = stopTogether()
    const stopLending = lendTerminal((ask) => this.#lend(ask))
    this.#session.printer.welcome(curfewVersion(), homePath(process.cwd()))
    this.#session.draw()
    this.#lines.start()
    const { resume, continue: isContinued } = this.#input
    this.#opening = this.#open({ resume, continue: isContinued })
    try {
      await Promise.race([this.#opening.then(() => aborted(this.#ended.signal)), aborted(this.#ended.signal)])
      return this.#interruption.exitCode() ?? 0
    } finally {
      stopLending()
      await this.#close()
      stopStopping()
    }
  }

  async #open(choice: SessionChoice): Promise<void> {
    const opened = await openConversation({
      input: this.#input,
      choice,
      session: this.#session,
      ask: async (question, context) => {
        this.#output.hold(true)
        try {
          return await askInLines({
            lines: this.#lines,
            show: this.#output.say,
            runtime: () => this.#session.opened?.runtime ?? null,
            columns: process.stderr.columns || 80,
          })(question, context)
        } finally {
          setImmediate(() => this.#output.hold(isTerminalInUse()))
        }
      },
      track: (what) => this.#waiting.track(what),
      recorder: this.#recorder,
      signal: this.#ended.signal,
      host: conversationHost({
        opened: () => this.#session.opened,
        reopen: (choice) => this.#reopen(choice),
        quit: () => this.#quit(),
      }),
    })
    for (const warning of this.#session.state.getSnapshot().warnings)
      this.#session.printer.note('warning', warning)
    this.#watch(opened)
    this.#session.attach(opened)
  }

  /** Calls that start and end are told at once, not only when their batch is complete. */
  #watch(opened: OpenedAgent): void {
    this.#stopWatching = opened.runtime.subscribe(({ changed }) => {
      for (const row of changed) if (this.#announcer.update(row)) this.#session.printer.calls([row])
    })
    this.#waiting.watch({ ...opened, argsOf: (uid) => cut(opened.runtime.getCall(uid)?.args ?? '', 100) })
  }

  async #reopen(choice: SessionChoice): Promise<void> {
    const { opened } = this.#session
    this.#session.detach()
    this.#stopWatching()
    this.#opening = replaceConversation(opened, choice, (choice) => this.#open(choice))
    await this.#opening
  }

  /** What is typed into a prompt is for nobody else. */
  async #lend<T>(ask: () => Promise<T>): Promise<T> {
    this.#lines.pause()
    try {
      return await ask()
    } finally {
      if (!this.#ended.signal.aborted) this.#lines.resume()
    }
  }

  #submit(text: string): void {
    this.#output.endPrompt()
    const { menu } = this.#session.state.getSnapshot()
    this.#session.state.set({ menu: null })
    const chosen = menu?.entries[/^\s*\d{1,4}\s*$/.test(text) ? Number(text) - 1 : -1]
    if (chosen !== undefined) chosen.run()
    else this.#session.submit(text)
    // An empty line gets a new prompt.
    this.#output.hold(isTerminalInUse())
  }

  #listCalls(): void {
    const rows = this.#session.opened?.runtime.getSnapshot().calls.slice(-maxListed) ?? []
    this.#session.printer.result({ type: 'calls', rows })
  }

  /** Ctrl-C: cancels what is running; otherwise, pressed twice, quits. Returns whether the program goes on. */
  #interrupt(): boolean {
    const now = performance.now()
    const isAgain = now - this.#interruptedAt < quitMs
    this.#interruptedAt = now
    if (isAgain) return false
    this.#output.endPrompt()
    const isCancelled = this.#session.cancel()
    this.#output.say([
      '',
      isCancelled ? 'Press Ctrl-C again to quit.' : 'Press Ctrl-C again to quit, or Ctrl-D.',
    ])
    this.#output.hold(isTerminalInUse())
    return true
  }

  #quit(): void {
    this.#session.state.set({ isClosing: true })
    this.#ended.abort()
  }

  async #close(): Promise<void> {
    this.#session.state.set({ isClosing: true })
    this.#lines.stop()
    // What is being opened has to be closed, too.
    await this.#opening.catch(() => {})
    const { opened } = this.#session
    const { session, agent } = opened ?? {}
    const canContinue = session != null && agent!.getSnapshot().items.length > 0
    this.#session.cancel()
    this.#stopWatching()
    await opened?.close()
    await this.#recorder.close()
    this.#waiting.close()
    this.#output.dispose()
    if (canContinue)
      this.#output.say([`To continue this conversation: curfew --resume ${shortId(session.id)}`])
    this.#interruption.dispose()
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
