import { type AgentEvent, type CommandResult, resolveMentions, type UserPart } from '@curfew/agent'
import type { CallRow } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import type { OpenedAgent } from '../../agent/open-agent.ts'
import { loadHighlighter } from '../markdown/load-highlighter.ts'
import { StateStore } from '../state-store.ts'
import { type FormatCalls, Printer } from '../transcript/printer.ts'
import type { Transcript } from '../transcript/transcript.ts'
import { CallTracker } from './call-tracker.ts'
import { initialState, type SessionState } from './session-state.ts'

export interface SessionOptions {
  readonly transcript: Transcript
  readonly formatCalls: FormatCalls
  /** Puts text back into the input, before what is there. */
  readonly returnToInput: (text: string) => void
  /** Shows the list of calls, with one of them expanded. */
  readonly openCalls: (uid: number | null) => void
}

/** A prompt that was sent and has not ended. */
interface SentPrompt {
  /** `null` if it is on the screen already. */
  readonly text: string | null
  readonly controller: AbortController
  /** It waits for the end of the current batch. */
  isWaiting: boolean
  /** The person took it back before it was delivered. */
  isWithdrawn: boolean
}

type Prompt = Extract<CommandResult, { type: 'prompt' }>

/** Models write hundreds of pieces per second; drawing each of them would take too long. */
const drawMs = 60
const maxThinking = 2_000

/** What a person does with an agent, and what is shown of it. Knows nothing about keys and drawing. */
export class TerminalSession {
  readonly state: StateStore<SessionState> = new StateStore(initialState)
  readonly printer: Printer
  readonly #options: SessionOptions
  #tracker: CallTracker | null = null
  #unsubscribe: () => void = () => {}
  /** Typed before the agent was open. */
  readonly #early: string[] = []
  #sent: SentPrompt[] = []
  /** Prompts are sent in the order in which they were typed, although their mentions take different times. */
  #lastSent: Promise<void> = Promise.resolve()
  readonly #commands = new Set<AbortController>()
  /** The events of a turn go to each of its prompts, and must be shown once. */
  readonly #shown = new WeakSet<AgentEvent>()
  #thinking = ''
  #isHighlighterLoaded = false
  #liveCalls: readonly number[] = []
  #drawTimer: NodeJS.Timeout | null = null
  #drawnAt = 0

  constructor(options: SessionOptions) {
    this.#options = options
    this.printer = new Printer(options.transcript, options.formatCalls, () => this.#drawSoon())
  }

  get opened(): OpenedAgent | null {
    return this.state.getSnapshot().opened
  }

  /** A turn or a command is running. */
  get isBusy(): boolean {
    return this.#sent.length > 0 || this.#commands.size > 0
  }

  /** Live calls that are not part of others. */
  get runningCalls(): readonly CallRow[] {
    return this.#tracker?.running ?? []
  }

  /** The uid of the call whose output is of most interest. */
  get newestCall(): number | null {
    const running = this.runningCalls.findLast(({ status }) => status === 'executing')
    return (running ?? this.opened?.runtime.getSnapshot().calls.at(-1))?.uid ?? null
  }

  get backgroundTasks(): readonly CallRow[] {
    return this.#tracker?.tasks ?? []
  }

  /** The agent is open, or another conversation was opened. */
  attach(opened: OpenedAgent): void {
    this.detach()
    this.#tracker = new CallTracker(opened.runtime, {
      onLive: (liveCalls) => {
        this.#liveCalls = liveCalls
        this.#drawSoon()
      },
      onBatch: (rows) => {
        this.printer.calls(rows)
        // The rows leave the live region now.
        this.draw()
      },
      onTask: (row) => this.printer.task(row),
    })
    this.#unsubscribe = opened.agent.subscribe(({ set }) => {
      if (set.queued !== undefined) this.#updateQueue()
      if (set.streamingState !== undefined) this.#onWaiting(set.streamingState === 'waiting')
    })
    this.state.set({ opened, startingWith: null, queued: [] })
    const early = this.#early.splice(0)
    // Who has quit meanwhile does not want any of it to start.
    if (!this.state.getSnapshot().isClosing) for (const text of early) this.submit(text)
  }

  detach(): void {
    this.#tracker?.dispose()
    this.#tracker = null
    this.#unsubscribe()
    this.#unsubscribe = () => {}
    this.#liveCalls = []
    this.state.set({ opened: null, liveCalls: [] })
  }

  /** What the person typed. While a turn is running, a prompt is delivered after the current batch. */
  submit(text: string): void {
    if (text.trim() === '') return
    const { opened } = this
    if (opened === null) {
      this.#early.push(text)
      this.state.set({ queued: [...this.#early] })
      return
    }
    void this.#run(text, opened).catch((error: unknown) => this.printer.note('danger', messageOf(error)))
  }

  /** ESC: ends the turn and typed commands; queued prompts return to the input. Returns false if nothing was running. */
  cancel(): boolean {
    const early = this.#early.splice(0)
    if (!this.isBusy && early.length === 0) return false
    if (early.length > 0) this.state.set({ queued: [] })
    for (const controller of this.#commands) controller.abort()
    const waiting = this.#sent.filter(({ isWaiting }) => isWaiting)
    for (const sent of waiting) withdraw(sent)
    for (const { controller } of this.#sent) controller.abort()
    this.opened?.agent.cancel('by the person')
    this.#returnToInput([...early, ...waiting.map(({ text }) => text ?? '')])
    return true
  }

  /** Takes the last queued prompt back to edit it. Returns false if there is none. */
  editQueued(): boolean {
    const early = this.#early.pop()
    const last = this.#sent.findLast(({ isWaiting }) => isWaiting)
    if (early === undefined && last === undefined) return false
    if (early === undefined) withdraw(last!)
    this.#returnToInput([early ?? last!.text ?? ''])
    if (early !== undefined) this.state.set({ queued: [...this.#early] })
    return true
  }

  /** Ends the current turn, so that queued prompts are sent at once. Returns false if there are none. */
  sendQueuedNow(): boolean {
    if (!this.#sent.some(({ isWaiting }) => isWaiting)) return false
    for (const { isWaiting, controller } of this.#sent) if (!isWaiting) controller.abort()
    return true
  }

  cancelCall(uid: number): void {
    this.opened?.runtime.cancel({ uid }, 'by the person')
  }

  /** Running calls continue as background tasks; the model goes on without them. Returns how many. */
  moveToBackground(): number {
    const runtime = this.opened?.runtime
    return this.runningCalls.filter(({ uid }) => runtime?.detach(uid) != null).length
  }

  async #run(typed: string, opened: OpenedAgent): Promise<void> {
    const input = opened.commands.parse(typed)
    if (input.type === 'prompt') {
      const parts = [{ type: 'text' as const, text: input.text }]
      return await this.#prompt(typed, { type: 'prompt', parts, mentions: input.mentions })
    }
    const controller = new AbortController()
    this.#commands.add(controller)
    this.state.set({ command: typed })
    this.printer.person(typed)
    try {
      const result = await opened.commands.run(input, { signal: controller.signal })
      if (result.type === 'prompt') await this.#prompt(null, result)
      else this.#showResult(result)
    } finally {
      this.#commands.delete(controller)
      if (this.#commands.size === 0) this.state.set({ command: null })
    }
  }

  #showResult(result: Exclude<CommandResult, { type: 'prompt' }>): void {
    if (result.type === 'calls') return this.#options.openCalls(null)
    if (result.type === 'call') this.#printTypedCall(result.result.id)
    if (result.type !== 'choices' || result.choices.length === 0) return this.printer.result(result)
    const entries = result.choices.map(({ input, description }) => ({
      label: input,
      description,
      run: () => this.submit(input),
    }))
    this.state.set({ menu: { title: result.title, entries, selected: 0, isInterrupt: false } })
  }

  /** Before its result, and before the runtime reports its end to all listeners. */
  #printTypedCall(id: string): void {
    const row = this.opened?.runtime.getSnapshot().calls.findLast((call) => call.id === id)
    if (row !== undefined) this.#tracker?.update([row])
  }

  /** `text` is `null` if it is on the screen already. */
  async #prompt(text: string | null, prompt: Prompt): Promise<void> {
    const opened = this.opened!
    const isFirst = this.#sent.length === 0
    if (isFirst && text !== null) this.printer.person(text)
    const problem = opened.modelProblem()
    if (problem !== null) return this.printer.noModel(problem)
    const sent: SentPrompt = {
      text: isFirst ? null : text,
      controller: new AbortController(),
      isWaiting: false,
      isWithdrawn: false,
    }
    this.#sent.push(sent)
    if (isFirst) this.state.set({ turn: { startedAt: Date.now(), waitedMs: 0, waitingSince: null } })
    const before = this.#lastSent
    let done = (): void => {}
    this.#lastSent = new Promise((resolve) => {
      done = resolve
    })
    try {
      const parts = await this.#resolve(prompt, opened, sent.controller.signal)
      await before
      const events = this.#send(opened, parts, sent)
      done()
      for await (const event of events) if (!sent.isWithdrawn) this.#show(event)
    } finally {
      done()
      this.#sent = this.#sent.filter((other) => other !== sent)
      if (this.#sent.length === 0) this.#endTurn()
    }
  }

  #endTurn(): void {
    const { menu } = this.state.getSnapshot()
    // There is nothing left to interrupt.
    this.state.set({ turn: null, retry: null, menu: menu?.isInterrupt === true ? null : menu })
  }

  async #resolve(prompt: Prompt, opened: OpenedAgent, signal: AbortSignal): Promise<readonly UserPart[]> {
    const { parts, unresolved } = await resolveMentions(prompt.mentions, opened.resolvers, signal)
    for (const { mention, message } of unresolved) {
      if (message !== null) this.printer.note('warning', `${mention.text} could not be read: ${message}`)
      else if (mention.type === 'path' || mention.type === 'glob')
        this.printer.note('muted', `${mention.text} is sent as text, because there is no such file`)
    }
    return [...prompt.parts, ...parts]
  }

  #send({ agent }: OpenedAgent, parts: readonly UserPart[], sent: SentPrompt): AsyncIterable<AgentEvent> {
    const isIdle = agent.getSnapshot().streamingState === 'idle'
    sent.isWaiting = !isIdle
    const events = agent.send(parts, { signal: sent.controller.signal })
    if (isIdle && sent.text !== null) this.printer.person(sent.text)
    return events
  }

  /** Prompts that have left the queue were delivered, or were taken back. */
  #updateQueue(): void {
    const { length } = this.opened!.agent.getSnapshot().queued
    const waiting = this.#sent.filter(({ isWaiting }) => isWaiting)
    const left = waiting.slice(0, Math.max(0, waiting.length - length))
    for (const sent of left) {
      sent.isWaiting = false
      if (!sent.isWithdrawn && sent.text !== null) this.printer.person(sent.text)
    }
    const queued = waiting.slice(left.length).map(({ text }) => text ?? '')
    if (left.length > 0 || queued.length !== this.state.getSnapshot().queued.length)
      this.state.set({ queued })
  }

  #onWaiting(isWaiting: boolean): void {
    const { turn } = this.state.getSnapshot()
    if (turn === null || isWaiting === (turn.waitingSince !== null)) return
    const { startedAt, waitedMs, waitingSince } = turn
    const now = Date.now()
    this.state.set({
      turn:
        waitingSince === null
          ? { startedAt, waitedMs, waitingSince: now }
          : { startedAt, waitedMs: waitedMs + now - waitingSince, waitingSince: null },
    })
  }

  #show(event: AgentEvent): void {
    if (this.#shown.has(event)) return
    this.#shown.add(event)
    if (event.type !== 'notice') this.state.set({ retry: null })
    // A prompt that was delivered comes before the response to it.
    if (event.type !== 'call' && event.type !== 'end' && this.opened !== null) this.#updateQueue()
    switch (event.type) {
      case 'text':
        this.#setThinking('')
        this.#loadHighlighter()
        return this.printer.answer(event.text)
      case 'reasoning':
        return this.#setThinking((this.#thinking + event.text).slice(-maxThinking))
      case 'call':
        this.#setThinking('')
        this.printer.endAnswer()
        return this.#tracker?.update([event.row])
      case 'notice':
        return event.notice.kind === 'retry'
          ? this.#showRetry(event.notice)
          : this.printer.note('muted', event.notice.message)
      case 'end':
        this.#setThinking('')
        return this.printer.end(event)
    }
  }

  #showRetry({ cause, attempt, maxAttempts, delayMs }: NoticeOf<'retry'>): void {
    this.printer.cutOff()
    this.#setThinking('')
    // The model is in the status line, and there is little room for the cause.
    const prefix = `${this.opened?.model()}: `
    const shown = cause.startsWith(prefix) ? cause.slice(prefix.length) : cause
    this.state.set({ retry: { cause: shown, attempt: attempt + 1, maxAttempts, at: Date.now() + delayMs } })
  }

  /** Code that arrives before it is loaded has no colours. */
  #loadHighlighter(): void {
    if (this.#isHighlighterLoaded) return
    this.#isHighlighterLoaded = true
    void loadHighlighter().then(
      (highlighter) => this.state.set({ highlighter }),
      () => {},
    )
  }

  #returnToInput(texts: readonly string[]): void {
    if (texts.length > 0) this.#options.returnToInput(texts.join('\n'))
  }

  #setThinking(thinking: string): void {
    if (thinking === this.#thinking) return
    this.#thinking = thinking
    this.#drawSoon()
  }

  /** What is printed leaves the live region in the same frame. */
  #drawSoon(): void {
    const waitMs = Math.max(0, this.#drawnAt + drawMs - performance.now())
    this.#drawTimer ??= setTimeout(() => this.draw(), waitMs)
  }

  /** Shows at once what has changed. */
  draw(): void {
    if (this.#drawTimer !== null) clearTimeout(this.#drawTimer)
    this.#drawTimer = null
    this.#drawnAt = performance.now()
    if (this.#options.transcript.flush()) this.#drawSoon()
    this.state.set({
      pending: this.printer.pending,
      isNewAnswer: this.printer.isNewAnswer,
      thinking: this.#thinking,
      liveCalls: this.#liveCalls,
    })
  }
}

function withdraw(sent: SentPrompt): void {
  sent.isWithdrawn = true
  sent.controller.abort()
}

type NoticeOf<K extends string> = Extract<Extract<AgentEvent, { type: 'notice' }>['notice'], { kind: K }>
