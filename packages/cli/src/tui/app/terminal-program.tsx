import { setImmediate as nextTurn } from 'node:timers/promises'
import { parseDuration } from '@curfew/core'
import type { Instance } from 'ink'
import { type Interruption, watchInterruptions } from '../../agent/interruption.ts'
import type { OpenedAgent } from '../../agent/open-agent.ts'
import type { PromptInput } from '../../agent/prompt-run.ts'
import { curfewVersion } from '../../curfew-version.ts'
import { problemLine } from '../../report-problems.ts'
import type { SessionChoice } from '../../sessions/choose-session.ts'
import { shortId } from '../../sessions/session-table.ts'
import { homePath } from '../../short-path.ts'
import { stateHome } from '../../state-home.ts'
import { writeError } from '../../write.ts'
import { finishedCallLines } from '../calls/finished-call-lines.ts'
import { renderApp } from '../ink/render-app.ts'
import { InputEditor } from '../input/input-editor.ts'
import { KeyStream } from '../input/key-stream.ts'
import { openPromptHistory, type PromptHistory, type StoredPromptHistory } from '../input/prompt-history.ts'
import { KeyRouter } from '../keys/key-router.ts'
import { QuestionPanel } from '../questions/question-panel.ts'
import { conversationHost } from '../session/conversation-host.ts'
import { TerminalSession } from '../session/terminal-session.ts'
import { Transcript } from '../transcript/transcript.ts'
import { TerminalApp } from './terminal-app.tsx'

const enterAlternateScreen = '\u001b[?1049h\u001b[H'
const leaveAlternateScreen = '\u001b[?1049l'

/** The interactive agent, from its first frame to its end. */
export class TerminalProgram {
  readonly #input: PromptInput
  readonly #interruption: Interruption = watchInterruptions()
  readonly #transcript = new Transcript()
  readonly #editor: InputEditor
  #storedHistory: StoredPromptHistory | null = null
  readonly #session: TerminalSession
  readonly #router: KeyRouter
  #instance: Instance | null = null
  #questions: QuestionPanel | null = null
  #opening: Promise<void> = Promise.resolve()
  /** Why the program cannot start. */
  #failure: { readonly error: unknown } | null = null

  constructor(input: PromptInput) {
    this.#input = input
    this.#session = new TerminalSession({
      transcript: this.#transcript,
      formatCalls: finishedCallLines,
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
      questions: () => this.#questions,
      callsScreen: () => null,
      openCalls: (uid) => this.#openCalls(uid),
      suspend: () => {},
      quit: () => this.#quit(),
      redraw: () => {},
    })
  }

  async run(): Promise<number> {
    const { signal } = this.#interruption
    this.#session.printer.welcome(curfewVersion(), homePath(process.cwd()))
    this.#session.draw()
    this.#instance = renderApp(
      <TerminalApp
        session={this.#session}
        transcript={this.#transcript}
        editor={this.#editor}
        router={this.#router}
        questions={() => this.#questions}
      />,
      { stdin: new KeyStream() },
    )
    signal.addEventListener('abort', () => this.#quit(), { once: true })
    // The first frame is drawn before anything else is loaded.
    await nextTurn()
    this.#opening = this.#open({ resume: this.#input.resume, continue: this.#input.continue })
    this.#opening.catch((error: unknown) => {
      this.#failure = { error }
      this.#quit()
    })
    await this.#instance.waitUntilExit()
    await this.#end()
    if (this.#failure !== null) throw this.#failure.error
    return this.#interruption.exitCode() ?? 0
  }

  async #open(session: SessionChoice): Promise<void> {
    const { openAgent } = await import('../../agent/open-agent.ts')
    const { model, set, allow, 'add-dir': addedFolders, mode, 'no-session': isUnsaved } = this.#input
    const warnings: string[] = []
    let warn = (message: string): void => void warnings.push(message)
    const opened = await openAgent({
      command: '',
      cwd: process.cwd(),
      model,
      set,
      allow,
      addedFolders,
      mode,
      session: isUnsaved ? null : session,
      ask: () => 'later',
      attended: true,
      notify: (message) => warn(message),
      track: (what) => this.#track(what),
      host: conversationHost({
        opened: () => this.#session.opened,
        reopen: (choice) => this.#reopen(choice),
        quit: () => this.#quit(),
      }),
    })
    warnings.push(...opened.problems.map(problemLine))
    warn = (message) => this.#session.printer.note('warning', message)
    this.#session.state.set({ warnings })
    const problem = opened.modelProblem()
    if (problem !== null) this.#session.printer.noModel(problem)
    this.#session.printer.history(opened.agent.getSnapshot().items)
    this.#storedHistory ??= await openPromptHistory({
      stateFolder: stateHome(),
      project: opened.projectFolder,
      redact: (text) => opened.runtime.redact(text),
    })
    this.#questions = new QuestionPanel({
      runtime: opened.runtime,
      isTyping: () => !this.#editor.isEmpty,
      onDraft: (text) => this.#returnToInput(text),
      onNotice: (text) => this.#session.printer.note('muted', text),
      approvalTimeoutMs: approvalTimeoutOf(opened),
    })
    this.#session.attach(opened)
  }

  /** `/clear` and `/resume`. */
  async #reopen(choice: SessionChoice): Promise<void> {
    const { opened } = this.#session
    this.#session.detach()
    this.#questions?.dispose()
    this.#questions = null
    await opened?.close()
    this.#opening = this.#open(choice)
    await this.#opening
  }

  /** Before what is there. */
  #returnToInput(text: string): void {
    this.#editor.setText([text, this.#editor.text].filter((part) => part !== '').join('\n'))
  }

  /** Empty until the agent is open. */
  #promptHistory(): PromptHistory {
    const stored = (): StoredPromptHistory | null => this.#storedHistory
    return {
      get entries() {
        return stored()?.entries ?? []
      },
      add: (text) => stored()?.add(text),
    }
  }

  /** On the alternate screen, so that the conversation is as it was afterwards. */
  #openCalls(uid: number | null): void {
    if (this.#session.opened === null) return
    this.#transcript.isHeld = true
    this.#instance?.clear()
    process.stdout.write(enterAlternateScreen)
    this.#session.state.set({ screen: 'calls', expandedCall: uid })
  }

  #closeCalls(): void {
    this.#instance?.clear()
    process.stdout.write(leaveAlternateScreen)
    this.#session.state.set({ screen: 'conversation', expandedCall: null })
    this.#transcript.isHeld = false
    this.#session.draw()
  }

  #track(what: string): () => void {
    this.#session.state.set({ startingWith: what })
    return () => this.#session.state.set({ startingWith: null })
  }

  #quit(): void {
    this.#session.state.set({ isClosing: true })
    this.#instance?.unmount()
  }

  async #end(): Promise<void> {
    // What is being opened has to be closed, too.
    await this.#opening.catch(() => {})
    const { opened } = this.#session
    const { session, agent } = opened ?? {}
    const canContinue = session != null && agent!.getSnapshot().items.length > 0
    this.#session.cancel()
    await opened?.close()
    await this.#storedHistory?.flush()
    if (canContinue) writeError(`To continue this conversation: curfew --resume ${shortId(session.id)}\n`)
    this.#interruption.dispose()
  }
}

function approvalTimeoutOf({ config }: OpenedAgent): number | undefined {
  const { approvalTimeout } = config.options
  return approvalTimeout === undefined ? undefined : parseDuration(approvalTimeout, 'approvalTimeout')
}
