import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseDuration } from '@curfew/core'
import { type Interruption, watchInterruptions } from '../../agent/interruption.ts'
import type { OpenedAgent } from '../../agent/open-agent.ts'
import type { PromptInput } from '../../agent/prompt-run.ts'
import { lendTerminal } from '../../ask/with-terminal.ts'
import { curfewVersion } from '../../curfew-version.ts'
import { Recorder } from '../../journal/recorder.ts'
import { type SessionChoice, shortId } from '../../sessions/choose-session.ts'
import { homePath } from '../../short-path.ts'
import { starterRoot } from '../../starter-root.ts'
import { stateHome } from '../../state-home.ts'
import { writeError } from '../../write.ts'
import { CallRecords } from '../calls/call-records.ts'
import { CallsScreenStore } from '../calls/calls-screen-store.ts'
import { finishedCallLines } from '../calls/finished-call-lines.ts'
import { FrameClock } from '../calls/frame-clock.ts'
import { LiveCallTree } from '../calls/live-call-tree.ts'
import { InputEditor } from '../input/input-editor.ts'
import { openPromptHistory, type PromptHistory, type StoredPromptHistory } from '../input/prompt-history.ts'
import { KeyRouter } from '../keys/key-router.ts'
import { limitHeap } from '../limit-heap.ts'
import { QuestionPanel } from '../questions/question-panel.ts'
import { conversationHost } from '../session/conversation-host.ts'
import { openConversation } from '../session/open-conversation.ts'
import { replaceConversation } from '../session/replace-conversation.ts'
import { TerminalSession } from '../session/terminal-session.ts'
import { TerminalScreen } from '../terminal/terminal-screen.ts'
import type { ThemeSetting } from '../theme/choose-theme.ts'
import { themeHost } from '../theme/theme-host.ts'
import { Transcript } from '../transcript/transcript.ts'
import { TerminalApp, type Views } from './terminal-app.tsx'

const maxWarnings = 100

/** The interactive agent, from its first frame to its end. */
export class TerminalProgram {
  readonly #input: PromptInput
  readonly #interruption: Interruption = watchInterruptions()
  readonly #recorder = new Recorder('terminal')
  readonly #transcript = new Transcript()
  readonly #clock = new FrameClock()
  readonly #screen: TerminalScreen
  readonly #editor: InputEditor
  readonly #session: TerminalSession
  readonly #router: KeyRouter
  #history: StoredPromptHistory | null = null
  /** What is shown of the agent, also while it is being opened. */
  #views: Views | null = null
  #opening: Promise<void> = Promise.resolve()
  readonly #quitting = new AbortController()
  /** Why the program cannot start. */
  #failure: { readonly error: unknown } | null = null

  constructor(input: PromptInput, theme: ThemeSetting) {
    this.#input = input
    this.#screen = new TerminalScreen({
      theme,
      onTheme: (theme) => this.#session.state.set({ theme }),
      onWarning: (message) => {
        const { state } = this.#session
        state.set({ warnings: [...state.getSnapshot().warnings, message].slice(-maxWarnings) })
      },
      onLost: () => this.#quit(),
    })
    this.#session = new TerminalSession({
      transcript: this.#transcript,
      formatCalls: (rows, layout) => finishedCallLines(rows, { ...layout, now: Date.now() }),
      openCalls: (uid) => this.#openCalls(uid),
      returnToInput: (text) => this.#returnToInput(text),
    })
    this.#editor = new InputEditor({
      onSubmit: (text) => this.#session.submit(text),
      complete: (text, cursor) => this.#session.opened?.commands.completeInput(text, cursor) ?? [],
      history: this.#promptHistory(),
    })
    this.#router = new KeyRouter({
      session: this.#session,
      editor: this.#editor,
      questions: () => this.#views?.questions ?? null,
      callsScreen: () => this.#views?.callsScreen ?? null,
      openCalls: (uid) => this.#openCalls(uid),
      suspend: () => this.#screen.suspend(),
      quit: () => this.#quit(),
      redraw: () => this.#screen.redraw(),
    })
  }

  async run(): Promise<number> {
    const { signal } = this.#interruption
    const { state, printer } = this.#session
    state.set({ theme: this.#screen.theme.name })
    printer.welcome(curfewVersion(), homePath(process.cwd()))
    this.#session.draw()
    this.#screen.start(
      <TerminalApp
        session={this.#session}
        transcript={this.#transcript}
        editor={this.#editor}
        router={this.#router}
        screen={this.#screen}
        views={() => this.#views}
      />,
    )
    signal.addEventListener('abort', () => this.#quit(), { once: true })
    const stopLending = lendTerminal((ask) => this.#lend(ask))
    // The first frame is drawn before anything else is loaded.
    await nextTurn()
    this.#opening = this.#open({ resume: this.#input.resume, continue: this.#input.continue })
    this.#opening.catch((error: unknown) => {
      // Who has quit does not wait for the start, which fails then.
      if (this.#quitting.signal.aborted) return
      this.#failure = { error }
      this.#quit()
    })
    await this.#screen.ended()
    stopLending()
    await this.#end()
    if (this.#failure !== null) throw this.#failure.error
    return this.#interruption.exitCode() ?? 0
  }

  async #open(choice: SessionChoice): Promise<void> {
    const opened = await openConversation({
      input: this.#input,
      choice,
      session: this.#session,
      ask: () => 'later',
      onRuntime: (started) => {
        this.#closeViews()
        this.#views = this.#createViews(started)
      },
      track: (what) => this.#track(what),
      recorder: this.#recorder,
      signal: this.#quitting.signal,
      host: {
        ...conversationHost({
          opened: () => this.#session.opened,
          reopen: (choice) => this.#reopen(choice),
          quit: () => this.#quit(),
        }),
        keys: 'Keys: Esc cancels, Ctrl-C twice quits, Ctrl-O shows the calls, Ctrl-X cancels one, Shift+Tab changes the mode, Ctrl-R searches your messages, Ctrl-Z suspends.',
        theme: themeHost(this.#screen.theme, join(starterRoot(true).path, 'config.json')),
      },
    })
    this.#history ??= await openPromptHistory({
      stateFolder: stateHome(),
      project: opened.projectFolder,
      redact: (text) => opened.runtime.redact(text),
    })
    this.#session.attach(opened)
    // Not earlier: a larger part for new objects makes the start faster.
    limitHeap()
  }

  #createViews({ runtime, config }: Pick<OpenedAgent, 'runtime' | 'config'>): Views {
    return {
      calls: new LiveCallTree(runtime),
      records: new CallRecords(runtime),
      callsScreen: null,
      clock: this.#clock,
      questions: new QuestionPanel({
        runtime,
        isTyping: () => !this.#editor.isEmpty,
        onDraft: (text) => this.#returnToInput(text),
        onNotice: (text) => this.#session.printer.note('muted', text),
        approvalTimeoutMs: approvalTimeoutOf(config),
      }),
    }
  }

  /** `/clear` and `/resume`. */
  async #reopen(choice: SessionChoice): Promise<void> {
    const { opened } = this.#session
    this.#session.detach()
    this.#closeViews()
    this.#opening = replaceConversation(opened, choice, (choice) => this.#open(choice))
    await this.#opening
  }

  #closeViews(): void {
    this.#closeCalls()
    this.#views?.questions.dispose()
    this.#views?.records.close()
    this.#views?.calls.close()
    this.#views = null
  }

  /** Before what is there. */
  #returnToInput(text: string): void {
    this.#editor.setText([text, this.#editor.text].filter((part) => part !== '').join('\n'))
  }

  /** Empty until the agent is open. */
  #promptHistory(): PromptHistory {
    const stored = (): StoredPromptHistory | null => this.#history
    return {
      get entries() {
        return stored()?.entries ?? []
      },
      add: (text) => stored()?.add(text),
    }
  }

  /** On the alternate screen, so that the conversation is as it was afterwards. */
  #openCalls(uid: number | null): void {
    const { opened, state } = this.#session
    const views = this.#views
    if (opened === null || views === null || views.callsScreen !== null) return
    views.callsScreen = new CallsScreenStore({
      runtime: opened.runtime,
      clock: views.clock,
      records: views.records,
      expandedUid: uid,
      onClose: () => this.#closeCalls(),
    })
    this.#transcript.isHeld = true
    this.#screen.enterAlternate()
    state.set({ screen: 'calls' })
  }

  #closeCalls(): void {
    const views = this.#views
    if (views === null || views.callsScreen === null) return
    views.callsScreen.close()
    views.callsScreen = null
    this.#screen.leaveAlternate()
    this.#session.state.set({ screen: 'conversation' })
    this.#transcript.isHeld = false
    this.#session.draw()
  }

  /** Questions are drawn anew afterwards, so that keys that were typed here do not answer them. */
  async #lend<T>(ask: () => Promise<T>): Promise<T> {
    const { state } = this.#session
    this.#closeCalls()
    state.set({ screen: 'lent' })
    try {
      return await this.#screen.lend(ask)
    } finally {
      state.set({ screen: 'conversation' })
    }
  }

  #track(what: string): () => void {
    const { state } = this.#session
    state.set({ startingWith: what })
    return () => state.set({ startingWith: null })
  }

  #quit(): void {
    this.#session.state.set({ isClosing: true })
    this.#quitting.abort()
    this.#screen.end()
  }

  async #end(): Promise<void> {
    // What is being opened has to be closed, too.
    await this.#opening.catch(() => {})
    const { opened } = this.#session
    const { session, agent } = opened ?? {}
    const canContinue = session != null && agent!.getSnapshot().items.length > 0
    this.#session.cancel()
    this.#closeViews()
    await opened?.close()
    await Promise.all([this.#recorder.close(), this.#history?.flush()])
    if (canContinue) writeError(`To continue this conversation: curfew --resume ${shortId(session.id)}\n`)
    this.#interruption.dispose()
  }
}

function approvalTimeoutOf({ options: { approvalTimeout } }: OpenedAgent['config']): number | undefined {
  return approvalTimeout === undefined ? undefined : parseDuration(approvalTimeout, 'approvalTimeout')
}
