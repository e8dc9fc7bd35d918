import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { hasProgram } from '../../../test/support/can-test.ts'
import { plainEnvironment } from './plain-environment.ts'
import { eventually } from './terminal-shell.ts'

export const hasTmux: boolean = hasProgram('tmux', '-V')

/** Generous, because the machine may be busy. */
const waitMs = 60_000
/** Each look at the screen is a process. */
const pauseMs = 50

export interface TerminalSize {
  readonly columns?: number
  readonly rows?: number
}

/** A shell in tmux: keys in, screen out. */
export class TmuxTerminal {
  /** Of its own server, so that the person's sessions are not affected. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'curfew-tmux-'))

  constructor(cwd: string, env: Record<string, string> = {}, { columns = 80, rows = 24 }: TerminalSize = {}) {
    const size = ['-x', String(columns), '-y', String(rows)]
    // The same prompt for every user: shells set their own from the environment.
    const profile = join(this.#folder, 'profile')
    writeFileSync(profile, "PS1='$ '\n")
    const { TMUX, ...plain } = plainEnvironment({ ENV: profile, ...env })
    // One command, because each command to the server is a process.
    const args = ['-S', this.#socket, '-f', '/dev/null', 'new-session', '-d', ...size, 'sh']
    const options = ['set-option', '-g', 'default-terminal', 'tmux-256color']
    execFileSync('tmux', [...args, ';', ...options, ';', 'set-option', '-g', 'set-clipboard', 'on'], {
      cwd,
      env: plain,
    })
  }

  /** Types text as it is. */
  type(text: string): void {
    this.#run('send-keys', '-l', '--', text)
  }

  /** Presses keys by name: `Enter`, `Escape`, `BTab`, `C-z`. */
  press(...keys: string[]): void {
    this.#run('send-keys', ...keys)
  }

  /** Types a line and presses Enter. */
  enter(line: string): void {
    this.#run('send-keys', '-l', '--', line, ';', 'send-keys', 'Enter')
  }

  /** As from a clipboard: in brackets, if the program has asked for them. */
  paste(text: string): void {
    const load = ['-S', this.#socket, 'load-buffer', '-b', 'pasted', '-']
    execFileSync('tmux', load, { input: text })
    this.#run('paste-buffer', '-p', '-d', '-b', 'pasted')
  }

  /** Waits until programs can know about it: tmux tells them up to 250 ms after it has wrapped their lines. */
  async resize(columns: number, rows: number): Promise<void> {
    this.#run('resize-window', '-x', String(columns), '-y', String(rows))
    const tty = this.get('pane_tty')
    const size = (): string => execFileSync('stty', ['-F', tty, 'size'], { encoding: 'utf8' }).trim()
    await eventually(`the window has ${columns} columns`, () => size() === `${rows} ${columns}`, size)
  }

  setBackground(color: string): void {
    this.#run('select-pane', '-P', `bg=${color}`)
  }

  /** The lines on the screen, without empty ones at the end. */
  screen(): string {
    return this.#run('capture-pane', '-p').trimEnd()
  }

  /** The same with the control sequences of their styles. */
  styledScreen(): string {
    return this.#run('capture-pane', '-p', '-e').trimEnd()
  }

  /** Everything that can be scrolled back to, and the screen. Lines that the terminal has wrapped are one line. */
  scrollback(): string {
    return this.#run('capture-pane', '-p', '-J', '-S', '-').replace(/ +$/gm, '').trimEnd()
  }

  /** A format variable of tmux, such as `cursor_flag`. */
  get(variable: string): string {
    return this.#run('display-message', '-p', `#{${variable}}`).trim()
  }

  cursor(): { readonly column: number; readonly row: number; readonly isVisible: boolean } {
    const [column, row, flag] = this.get('cursor_x},#{cursor_y},#{cursor_flag').split(',').map(Number)
    return { column: column!, row: row!, isVisible: flag === 1 }
  }

  /** The paste buffers of the server: what a program put into the clipboard. */
  clipboard(): string {
    return this.#run('list-buffers', '-F', '#{buffer_sample}').trim()
  }

  /** Waits for a match on the screen, and returns the screen. */
  async shows(expected: RegExp): Promise<string> {
    return await this.#until(`the screen shows ${expected}`, (screen) => expected.test(screen))
  }

  /** Waits until nothing on the screen matches. */
  async hides(unexpected: RegExp): Promise<string> {
    return await this.#until(`the screen no longer shows ${unexpected}`, (screen) => !unexpected.test(screen))
  }

  /** Waits for a match on the screen with its control sequences. */
  async showsStyled(expected: RegExp): Promise<void> {
    const expectation = `the styled screen shows ${expected}`
    await this.#until(
      expectation,
      (screen) => expected.test(screen),
      () => this.styledScreen(),
    )
  }

  close(): void {
    spawnSync('tmux', ['-S', this.#socket, 'kill-server'])
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #until(
    expectation: string,
    holds: (screen: string) => boolean,
    look = (): string => this.screen(),
  ): Promise<string> {
    const end = Date.now() + waitMs
    for (;;) {
      const screen = look()
      if (holds(screen)) return screen
      if (Date.now() > end) throw new Error(`expected that ${expectation}; the screen is:\n${screen}\n`)
      await sleep(pauseMs)
    }
  }

  get #socket(): string {
    return join(this.#folder, 'socket')
  }

  #run(...args: string[]): string {
    return execFileSync('tmux', ['-S', this.#socket, ...args], { encoding: 'utf8' })
  }
}
