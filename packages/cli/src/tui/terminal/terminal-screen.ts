import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Instance } from 'ink'
import type { ReactNode } from 'react'
import { renderApp } from '../ink/render-app.ts'
import type { ThemeSetting } from '../theme/choose-theme.ts'
import type { ThemeName } from '../theme/theme.ts'
import { ThemeChoice } from '../theme/theme-choice.ts'
import { guardTerminal } from './guard-terminal.ts'
import { queryBackground } from './query-background.ts'
import { type SuspendOptions, Suspension } from './suspension.ts'
import { TerminalInput } from './terminal-input.ts'
import { TerminalModes } from './terminal-modes.ts'

export interface ScreenOptions {
  readonly theme: ThemeSetting
  readonly onTheme: (name: ThemeName) => void
  /** A warning of Node, which would be printed over what is drawn. */
  readonly onWarning: (message: string) => void
  /** The terminal is gone. */
  readonly onLost: () => void
}

const enterAlternateScreen = '\u001b[?1049h\u001b[H'
const leaveAlternateScreen = '\u001b[?1049l'
/** Terminals answer within milliseconds; a slow connection may take longer. */
const backgroundMs = 2_000

/** What is drawn on the terminal, from the first frame until the terminal is as it was before. */
export class TerminalScreen {
  readonly theme: ThemeChoice
  readonly #options: ScreenOptions
  readonly #input = new TerminalInput()
  readonly #modes = new TerminalModes()
  #instance: Instance | null = null
  #suspension: Suspension | null = null
  #restore = (): void => {}
  #restoreWarnings = (): void => {}

  constructor(options: ScreenOptions) {
    this.#options = options
    this.theme = new ThemeChoice({
      env: process.env,
      colorDepth: process.stdout.getColorDepth(),
      setting: options.theme,
      onChange: options.onTheme,
    })
  }

  /** Draws the first frame. */
  start(app: ReactNode): void {
    const input = this.#input
    // Keys are read from it as from `process.stdin`.
    const stdin = input as unknown as NodeJS.ReadStream
    const instance = renderApp(app, { stdin, stdout: this.#modes.stdout })
    this.#instance = instance
    this.#takeWarnings()
    this.#restore = guardTerminal({
      input,
      modes: this.#modes,
      unmount: () => instance.unmount(),
      onLost: this.#options.onLost,
    })
    void queryBackground(input, this.#modes.stdout, backgroundMs).then((background) =>
      this.theme.setBackground(background),
    )
  }

  #takeWarnings(): void {
    const listeners = process.listeners('warning')
    const show = ({ name, message }: Error): void => this.#options.onWarning(`${name}: ${message}`)
    process.removeAllListeners('warning')
    process.on('warning', show)
    this.#restoreWarnings = () => {
      process.off('warning', show)
      for (const listener of listeners) process.on('warning', listener)
    }
  }

  /** Call it once with Ink's function; from then on, Ctrl-Z works. */
  setSuspendTerminal(suspendTerminal: SuspendOptions['suspendTerminal']): () => void {
    const suspension = new Suspension({ suspendTerminal, modes: this.#modes })
    this.#suspension = suspension
    return () => suspension.dispose()
  }

  suspend(): void {
    void this.#suspension?.suspend()
  }

  /** Gives the terminal to someone else in this process, who reads its keys meanwhile. */
  async lend<T>(use: () => Promise<T>): Promise<T> {
    // It is known right after the first frame.
    while (this.#suspension === null) await nextTurn()
    return await this.#suspension.lend(async () => {
      // Ink releases it, and nothing else may keep the process alive meanwhile.
      this.#input.ref()
      return await use()
    })
  }

  /** Everything that is drawn until `leaveAlternate` is on a screen of its own. */
  enterAlternate(): void {
    this.#instance?.clear()
    this.#modes.stdout.write(enterAlternateScreen)
  }

  leaveAlternate(): void {
    this.#instance?.clear()
    this.#modes.stdout.write(leaveAlternateScreen)
  }

  /** Draws everything that is not in the scrollback again. */
  redraw(): void {
    this.#instance?.clear()
  }

  end(): void {
    // Only the conversation stays on the screen.
    this.#instance?.clear()
    this.#instance?.unmount()
  }

  /** Resolves when nothing is drawn any more. The terminal is as it was before. */
  async ended(): Promise<void> {
    await this.#instance?.waitUntilExit()
    this.#restore()
    this.#restoreWarnings()
    // Nothing waits for an answer any more.
    this.#input.destroy()
  }
}
