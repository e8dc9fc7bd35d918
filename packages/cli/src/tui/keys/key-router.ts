import type { AgentMode } from '@curfew/agent'
import type { Key } from 'ink'
import { shortArguments } from '../calls/short-arguments.ts'
import type { InputEditor } from '../input/input-editor.ts'
import type { Menu } from '../session/session-state.ts'
import type { TerminalSession } from '../session/terminal-session.ts'

/** Something that may use keys. */
export interface KeyTarget {
  /** Returns whether it used the key. */
  handleKey(input: string, key: Key): boolean
  paste(text: string): boolean
}

export interface RouterOptions {
  readonly session: TerminalSession
  readonly editor: InputEditor
  /** `null` before the agent has a runtime. */
  questions(): KeyTarget | null
  callsScreen(): { handleKey(input: string, key: Key): void } | null
  openCalls(uid: number | null): void
  suspend(): void
  quit(): void
  redraw(): void
}

/** Two presses within this time quit. */
const quitMs = 2_000

const modes: readonly AgentMode[] = ['ask', 'accept-edits', 'plan']

/** Decides what a key means, from the top of the screen to the bottom: the list of calls, the menu, a question, the input. */
export class KeyRouter {
  readonly #options: RouterOptions
  #quitHintAt = Number.NEGATIVE_INFINITY

  constructor(options: RouterOptions) {
    this.#options = options
  }

  handleKey(input: string, key: Key): void {
    const { session, editor } = this.#options
    const { state } = session
    const { screen, menu } = state.getSnapshot()
    if (key.ctrl && input === 'c') return this.#interrupt()
    state.set({ hint: null })
    if (key.ctrl && input === 'z') return this.#options.suspend()
    if (screen === 'calls') return this.#options.callsScreen()?.handleKey(input, key)
    if (menu !== null) return this.#handleMenuKey(menu, input, key)
    if (this.#options.questions()?.handleKey(input, key)) return
    const { menu: completions, search } = editor.getSnapshot()
    if ((completions !== null || search !== null) && editor.handleKey(input, key)) return
    if (this.#handleCommandKey(input, key)) return
    editor.handleKey(input, key)
  }

  paste(text: string): void {
    const { session, editor, questions } = this.#options
    const { screen, menu } = session.state.getSnapshot()
    if (screen === 'calls' || menu !== null || questions()?.paste(text)) return
    editor.paste(text)
  }

  /** Keys of the whole program. */
  #handleCommandKey(input: string, key: Key): boolean {
    const { session, editor, openCalls, quit, redraw } = this.#options
    if (key.escape) return session.cancel()
    if (key.tab && key.shift) return this.#nextMode()
    if (key.upArrow && editor.isEmpty) return session.editQueued()
    if (key.return && editor.isEmpty) return session.sendQueuedNow()
    if (!key.ctrl) return false
    switch (input) {
      case 'd':
        if (!editor.isEmpty) return false
        if (session.isBusy) this.#interrupt()
        else quit()
        return true
      case 'o':
        openCalls(session.newestCall)
        return true
      case 'r':
        editor.openSearch()
        return true
      case 'x':
        return this.#cancelCall()
      case 'g':
        return this.#showWarnings()
      case 'l':
        redraw()
        return true
      default:
        return false
    }
  }

  #interrupt(): void {
    const { session, editor, quit } = this.#options
    const { menu, screen } = session.state.getSnapshot()
    const now = performance.now()
    if (menu?.isInterrupt || now - this.#quitHintAt < quitMs) return quit()
    if (screen === 'conversation' && (session.isBusy || session.runningCalls.length > 0)) {
      session.state.set({ menu: interruptMenu(session, quit) })
      return
    }
    editor.clear()
    this.#quitHintAt = now
    session.state.set({ hint: 'Press Ctrl-C again to quit.' })
  }

  #handleMenuKey(menu: Menu, input: string, key: Key): void {
    const { state } = this.#options.session
    const { entries, selected } = menu
    if (key.upArrow || key.downArrow) {
      const step = key.downArrow ? 1 : entries.length - 1
      return state.set({ menu: { ...menu, selected: (selected + step) % entries.length } })
    }
    const byKey = entries.find((entry) => entry.key !== undefined && entry.key === input)
    const byNumber = /^[1-9]$/.test(input) ? entries[Number(input) - 1] : undefined
    const chosen = key.return ? entries[selected] : (byKey ?? byNumber)
    if (chosen === undefined && !key.escape) return
    state.set({ menu: null })
    chosen?.run()
  }

  #nextMode(): boolean {
    const agent = this.#options.session.opened?.agent
    if (agent === undefined) return true
    const current = agent.getSnapshot().mode ?? 'ask'
    agent.setMode(modes[(modes.indexOf(current) + 1) % modes.length]!)
    return true
  }

  /** Cancels the only running call, or lists them. */
  #cancelCall(): boolean {
    const { session } = this.#options
    const running = session.runningCalls
    if (running.length === 1) session.cancelCall(running[0]!.uid)
    else if (running.length === 0) session.state.set({ hint: 'No call is running.' })
    else session.state.set({ menu: cancelMenu(session) })
    return true
  }

  #showWarnings(): boolean {
    const { state, printer } = this.#options.session
    const { warnings } = state.getSnapshot()
    for (const warning of warnings) printer.note('warning', warning)
    state.set({ warnings: [], hint: warnings.length === 0 ? 'There are no warnings.' : null })
    return true
  }
}

/** Ctrl-X while several calls are running. */
function cancelMenu(session: TerminalSession): Menu {
  const entries = session.runningCalls.map(({ uid, name, args }, index) => ({
    label: `${index + 1}. ${name}`,
    description: shortArguments(args).main,
    run: () => session.cancelCall(uid),
  }))
  return { title: 'Cancel which call?', entries, selected: 0, isInterrupt: false }
}

/** What Ctrl-C offers while something is running. */
function interruptMenu(session: TerminalSession, quit: () => void): Menu {
  const running = session.runningCalls.filter(({ status }) => status === 'executing').length
  const cancel = {
    key: 'c',
    label: 'cancel',
    description: 'stop this turn and its calls',
    run: () => void session.cancel(),
  }
  const background = {
    key: 'b',
    label: 'background',
    description: `keep the ${running === 1 ? 'call' : `${running} calls`} running, without waiting`,
    run: () => void session.moveToBackground(),
  }
  const exit = { key: 'x', label: 'exit', description: 'stop everything and quit', run: quit }
  return {
    title: 'Stop?',
    entries: running === 0 ? [cancel, exit] : [cancel, background, exit],
    selected: 0,
    isInterrupt: true,
  }
}
