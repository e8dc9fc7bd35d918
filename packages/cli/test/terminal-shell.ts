import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { hasProgram } from '../../../test/support/can-test.ts'
import { newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { plainEnvironment } from './plain-environment.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const bridge = 'import pty; pty.spawn(["sh", "-i"])'
const prompt = '<ready>'
const waitMs = 60_000

/** A shell with job control on a pseudo-terminal, with an alias for `curfew`. */
export class TerminalShell {
  readonly #child: ChildProcessWithoutNullStreams
  /** In the environment of everything that runs in the shell. */
  readonly #tag = newTag()
  #text = ''
  #from = 0

  private constructor(cwd: string, env: Record<string, string>) {
    this.#child = spawn('python3', ['-c', bridge], {
      cwd,
      env: plainEnvironment({ ENV: '', TEST_TAG: this.#tag, ...env }),
    })
    this.#child.stdout.on('data', (chunk) => {
      this.#text += chunk
    })
  }

  static async open(cwd: string, env: Record<string, string> = {}): Promise<TerminalShell> {
    const shell = new TerminalShell(cwd, env)
    shell.type(
      `PS1='${prompt}'; stty -echo; node='${process.execPath}' bin='${bin}'; alias curfew='"$node" "$bin"'`,
    )
    await shell.isIdle()
    return shell
  }

  type(line: string): void {
    this.#from = this.#text.length
    this.#child.stdin.write(`${line}\n`)
  }

  /** Types text without the Enter key. */
  send(text: string): void {
    this.#child.stdin.write(text)
  }

  press(key: 'Ctrl-C' | 'Ctrl-Z'): void {
    this.#child.stdin.write(key === 'Ctrl-C' ? '\u0003' : '\u001a')
  }

  /** Waits for a match in the output since the last typed line, and returns that output. */
  async shows(expected: RegExp): Promise<string> {
    await eventually(
      `the terminal shows ${expected}`,
      () => expected.test(this.#since()),
      () => this.#since(),
    )
    return this.#since()
  }

  /** The same, once the shell prompts for the next line. */
  async isIdle(): Promise<string> {
    return await this.shows(new RegExp(`${prompt}$`))
  }

  /** The exit code of the last typed line. */
  async exitCode(): Promise<number> {
    await this.isIdle()
    this.type('echo "exit=$?"')
    return Number(/exit=(\d+)/.exec(await this.isIdle())?.[1])
  }

  #since(): string {
    return this.#text.slice(this.#from)
  }

  /** Ends the shell, and waits for everything that still runs in it: it may be writing to folders that the test removes. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return
    const closed = new Promise((resolve) => this.#child.once('close', resolve))
    // A hangup, as when a window is closed.
    this.#child.kill('SIGKILL')
    await closed
    await untilNoneLeft(this.#tag, waitMs)
  }
}

export function hasTerminalShell(): boolean {
  return process.platform === 'linux' && hasProgram('python3', '-c', 'import pty')
}

/** The processes with this string in their command line, each with its state: `S` sleeping, `T` stopped, ... */
export function processesWith(tag: string): Map<number, string> {
  const { stdout } = spawnSync('pgrep', ['-f', tag], { encoding: 'utf8' })
  const states = new Map<number, string>()
  for (const pid of stdout.split('\n').filter(Boolean).map(Number)) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      states.set(pid, stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3))
    } catch {
      // It has exited in the meantime.
    }
  }
  return states
}

/** Polls until the condition holds, where there is no event to wait for. */
export async function eventually(
  expectation: string,
  holds: () => boolean,
  seen: () => unknown = () => '',
): Promise<void> {
  const end = Date.now() + waitMs
  while (!holds()) {
    if (Date.now() > end) throw new Error(`expected that ${expectation}; seen: ${JSON.stringify(seen())}`)
    await sleep(20)
  }
}
