import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { StringDecoder } from 'node:string_decoder'
import { setTimeout as delay } from 'node:timers/promises'

/** `type: 1 byte, time: 8 bytes, length: 4 bytes`, followed by the content. */
const headerBytes = 13
/** Runs a program on a pseudo-terminal, and reports what it writes with the time of CLOCK_MONOTONIC. */
const bridge = `
import fcntl, os, pty, select, struct, sys, termios, time
rows, columns = int(sys.argv[1]), int(sys.argv[2])
def report(kind, content):
    header = struct.pack('<cdI', kind, time.monotonic() * 1000, len(content))
    os.write(1, header + content)
started = time.monotonic() * 1000
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))
    os.execvp(sys.argv[3], sys.argv[3:])
report(b'S', struct.pack('<dI', started, pid))
while True:
    ready, _, _ = select.select([terminal, 0], [], [])
    if terminal in ready:
        try: written = os.read(terminal, 65536)
        except OSError: break
        if not written: break
        report(b'W', written)
    if 0 in ready:
        typed = os.read(0, 65536)
        if not typed: break
        while typed: typed = typed[os.write(terminal, typed):]
report(b'E', b'')
os.close(terminal)
`

export interface Terminal {
  readonly command: readonly [string, ...string[]]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** @default 30 */
  readonly rows?: number
  /** @default 100 */
  readonly columns?: number
}

interface Shown {
  /** Milliseconds since the program was started. */
  readonly ms: number
}

/** A program on a pseudo-terminal, for measurements of what it writes and when. */
export class PseudoTerminal {
  readonly #bridge: ChildProcessWithoutNullStreams
  readonly #started: Promise<void>
  #pid = 0
  #startedMs = 0
  #received: Buffer = Buffer.alloc(0)
  readonly #decoder = new StringDecoder('utf8')
  /** What was written since the last `forget`. */
  #text = ''
  #bytes = 0
  #frames = 0
  #lastMs = 0
  #endedMs: number | null = null
  #onWrite: () => void = () => {}

  private constructor({ command, cwd, env, rows = 30, columns = 100 }: Terminal) {
    const { PATH = '' } = process.env
    this.#bridge = spawn('python3', ['-c', bridge, String(rows), String(columns), ...command], {
      cwd,
      env: { PATH, TERM: 'xterm-256color', ...env },
    })
    this.#bridge.stdin.on('error', () => {})
    this.#started = new Promise((resolve, reject) => {
      this.#bridge.stdout.on('data', (data: Buffer) => {
        this.#receive(data)
        if (this.#pid !== 0) resolve()
        this.#onWrite()
      })
      this.#bridge.on('close', () => {
        reject(new Error(`${command.join(' ')} could not be started on a pseudo-terminal`))
        this.#onWrite()
      })
    })
  }

  static async open(terminal: Terminal): Promise<PseudoTerminal> {
    const opened = new PseudoTerminal(terminal)
    await opened.#started
    return opened
  }

  get pid(): number {
    return this.#pid
  }

  /** Written since the last `forget`. */
  get bytes(): number {
    return this.#bytes
  }

  /** Synchronised updates since the last `forget`. */
  get frames(): number {
    return this.#frames
  }

  type(text: string): void {
    this.#bridge.stdin.write(text)
  }

  forget(): void {
    this.#text = ''
    this.#bytes = 0
    this.#frames = 0
  }

  /** Waits until the output since the last `forget` matches. */
  async shows(expected: RegExp, limitMs = 60_000): Promise<Shown> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, limitMs)
      this.#onWrite = () => {
        if (expected.test(this.#text) || this.#bridge.exitCode !== null) resolve()
      }
      this.#onWrite()
    })
    clearTimeout(timer)
    this.#onWrite = () => {}
    if (expected.test(this.#text)) return { ms: this.#lastMs - this.#startedMs }
    throw new Error(
      `expected the terminal to show ${expected}, got ${JSON.stringify(this.#text.slice(-2_000))}`,
    )
  }

  /** Waits for the end of the program. */
  async ends(): Promise<Shown> {
    await new Promise<void>((resolve) => {
      this.#onWrite = () => this.#endedMs !== null && resolve()
      this.#onWrite()
    })
    return { ms: this.#endedMs! - this.#startedMs }
  }

  /** Ends the program with everything that it has started in this terminal. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#bridge.once('close', resolve))
    if (this.#bridge.exitCode !== null || this.#bridge.signalCode !== null) return
    // A hangup, as when a window is closed.
    this.#bridge.stdin.end()
    await closed
    await ended(this.#pid)
  }

  #receive(data: Buffer): void {
    this.#received = this.#received.length === 0 ? data : Buffer.concat([this.#received, data])
    while (this.#received.length >= headerBytes) {
      const type = String.fromCharCode(this.#received[0]!)
      const ms = this.#received.readDoubleLE(1)
      const end = headerBytes + this.#received.readUInt32LE(9)
      if (this.#received.length < end) return
      const content = this.#received.subarray(headerBytes, end)
      this.#received = this.#received.subarray(end)
      if (type === 'S') {
        this.#startedMs = content.readDoubleLE(0)
        this.#pid = content.readUInt32LE(8)
        continue
      }
      if (type === 'E') {
        this.#endedMs = ms
        continue
      }
      const written = this.#decoder.write(content)
      this.#lastMs = ms
      this.#bytes += content.length
      this.#frames += written.split('\x1b[?2026h').length - 1
      this.#text += written
    }
  }
}

/** Programs have a moment to end by themselves. */
async function ended(pid: number): Promise<void> {
  for (let round = 0; round < 200 && isRunning(pid); round++) await delay(25)
  if (isRunning(pid)) process.kill(pid, 'SIGKILL')
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

export function hasPseudoTerminal(): boolean {
  return process.platform === 'linux' && spawnSync('python3', ['-c', 'import pty']).status === 0
}
