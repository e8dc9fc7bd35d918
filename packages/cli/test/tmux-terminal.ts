import { execFileSync, spawnSync } from 'node:child_process'
import { plainEnvironment } from './plain-environment.ts'
import { eventually } from './terminal-shell.ts'

let count = 0

export const hasTmux: boolean = spawnSync('tmux', ['-V']).status === 0

/** A shell in tmux: keys in, screen out. */
export class TmuxTerminal {
  readonly #socket = `curfew-test-${process.pid}-${++count}`

  constructor(cwd: string, env: Record<string, string> = {}, { columns = 80, rows = 24 } = {}) {
    const size = ['-x', String(columns), '-y', String(rows)]
    const { TMUX, ...plain } = plainEnvironment({ PS1: '$ ', ENV: '', ...env })
    execFileSync('tmux', ['-L', this.#socket, '-f', '/dev/null', 'new-session', '-d', ...size, 'sh'], {
      cwd,
      env: plain,
    })
    this.#run('set-option', '-g', 'default-terminal', 'tmux-256color')
  }

  /** Types text as it is. */
  type(text: string): void {
    this.#run('send-keys', '-l', '--', text)
  }

  /** Presses keys by name: `Enter`, `Escape`, `C-z`. */
  press(...keys: string[]): void {
    this.#run('send-keys', ...keys)
  }

  resize(columns: number, rows: number): void {
    this.#run('resize-window', '-x', String(columns), '-y', String(rows))
  }

  setBackground(color: string): void {
    this.#run('select-pane', '-P', `bg=${color}`)
  }

  /** The lines on the screen, without empty ones at the end. */
  screen(): string {
    return this.#run('capture-pane', '-p').trimEnd()
  }

  /** A format variable of tmux, such as `cursor_flag`. */
  get(variable: string): string {
    return this.#run('display-message', '-p', `#{${variable}}`).trim()
  }

  async shows(expected: RegExp): Promise<string> {
    const seen = (): string => this.screen()
    await eventually(`the screen shows ${expected}`, () => expected.test(seen()), seen)
    return seen()
  }

  close(): void {
    spawnSync('tmux', ['-L', this.#socket, 'kill-server'])
  }

  #run(...args: string[]): string {
    return execFileSync('tmux', ['-L', this.#socket, ...args], { encoding: 'utf8' })
  }
}
