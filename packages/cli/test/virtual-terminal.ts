import { PassThrough, Writable } from 'node:stream'
import headless, { type Terminal } from '@xterm/headless'
import { type Instance, type RenderOptions, render } from 'ink'
import type { ReactNode } from 'react'

export interface VirtualTerminalOptions {
  readonly columns?: number
  readonly rows?: number
  /** What Ink reads instead of the terminal's input, such as a `TerminalInput`. */
  readonly wrapInput?: (stdin: NodeJS.ReadStream) => NodeJS.ReadableStream
  readonly render?: RenderOptions
}

const sequences: Readonly<Record<string, string>> = {
  enter: '\r',
  'alt+enter': '\x1b\r',
  'shift+enter': '\x1b[13;2u',
  tab: '\t',
  'shift+tab': '\x1b[Z',
  escape: '\x1b',
  backspace: '\x7f',
  'alt+backspace': '\x1b\x7f',
  delete: '\x1b[3~',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  pageup: '\x1b[5~',
  pagedown: '\x1b[6~',
  'ctrl+_': '\x1f',
  space: ' ',
}

const arrows: Readonly<Record<string, string>> = { up: 'A', down: 'B', right: 'C', left: 'D' }
const deadlineMs = 30_000

/** Renders a React node with Ink into a terminal that exists only in memory. */
export async function openTerminal(
  node: ReactNode,
  options: VirtualTerminalOptions = {},
): Promise<VirtualTerminal> {
  const terminal = new VirtualTerminal(node, options)
  await terminal.settle()
  return terminal
}

/** What a person sees and types. All methods wait until everything is drawn. */
export class VirtualTerminal {
  readonly #terminal: Terminal
  readonly #stdin: FakeStdin
  readonly #stdout: FakeStdout
  readonly #ink: Instance

  constructor(
    node: ReactNode,
    { columns = 80, rows = 24, wrapInput, render: other }: VirtualTerminalOptions,
  ) {
    // Without a pty, nothing turns \n into \r\n.
    this.#terminal = new headless.Terminal({ cols: columns, rows, convertEol: true, allowProposedApi: true })
    this.#stdin = new FakeStdin()
    this.#stdout = new FakeStdout(this.#terminal)
    // Replies to queries.
    this.#terminal.onData((data) => this.#stdin.write(data))
    const stdin = this.#stdin as unknown as NodeJS.ReadStream
    this.#ink = render(node, {
      stdout: this.#stdout as unknown as NodeJS.WriteStream,
      stderr: this.#stdout as unknown as NodeJS.WriteStream,
      stdin: wrapInput === undefined ? stdin : wrapInput(stdin),
      interactive: true,
      patchConsole: false,
      exitOnCtrlC: false,
      ...other,
    })
  }

  /** All bytes that were written to the terminal. */
  get bytesWritten(): number {
    return this.#stdout.bytesWritten
  }

  /** Types text in one read, or bytes. */
  async type(text: string | Uint8Array): Promise<void> {
    this.#stdin.write(text)
    await this.settle()
  }

  /** Presses keys such as `enter`, `ctrl+r`, `alt+left` or `x`, one after the other. */
  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.#stdin.write(sequenceOf(key))
      await this.settle()
    }
  }

  /** Pastes in the brackets that a terminal adds. */
  async paste(text: string): Promise<void> {
    await this.type(`\x1b[200~${text}\x1b[201~`)
  }

  /** The visible lines, without spaces at their ends and without empty lines at the end. */
  screen(): string {
    const { baseY } = this.#terminal.buffer.active
    return this.#lines(baseY, baseY + this.#terminal.rows)
  }

  /** The lines above the visible ones, too. */
  scrollback(): string {
    return this.#lines(0, this.#terminal.buffer.active.length)
  }

  /** From the top left of the screen. */
  cursor(): { readonly x: number; readonly y: number; readonly isVisible: boolean } {
    const { cursorX, cursorY } = this.#terminal.buffer.active
    return { x: cursorX, y: cursorY, isVisible: this.#stdout.isCursorVisible }
  }

  async resize(columns: number, rows: number): Promise<void> {
    this.#terminal.resize(columns, rows)
    this.#stdout.emit('resize')
    await this.settle()
  }

  async rerender(node: ReactNode): Promise<void> {
    this.#ink.rerender(node)
    await this.settle()
  }

  /** Waits until the screen matches, for what needs time, such as a lone Escape. Returns the screen. */
  async shows(expected: RegExp): Promise<string> {
    for (const start = performance.now(); !expected.test(this.screen()); await this.settle()) {
      if (performance.now() - start > deadlineMs)
        throw new Error(`expected the screen to match ${expected}, got:\n${this.screen()}`)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    return this.screen()
  }

  /** Waits until Ink has drawn and the terminal has read everything. */
  async settle(): Promise<void> {
    // Input passes through a stream or two before Ink reads it.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
    await this.#ink.waitUntilRenderFlush()
    await this.#stdout.flush()
  }

  async close(): Promise<void> {
    this.#ink.unmount()
    await this.#ink.waitUntilExit()
    await this.#stdout.flush()
    this.#terminal.dispose()
    this.#stdin.destroy()
  }

  #lines(first: number, end: number): string {
    const { active } = this.#terminal.buffer
    return Array.from(
      { length: end - first },
      (_, index) => active.getLine(first + index)?.translateToString(true) ?? '',
    )
      .join('\n')
      .trimEnd()
  }
}

function sequenceOf(key: string): string {
  const known = sequences[key]
  if (known !== undefined) return known
  const [, control] = /^ctrl\+([a-z])$/.exec(key) ?? []
  if (control !== undefined) return String.fromCharCode(control.charCodeAt(0) - 96)
  const [, modifier, arrow] = /^(alt|ctrl|shift)\+(up|down|left|right)$/.exec(key) ?? []
  if (arrow !== undefined) return `\x1b[1;${{ shift: 2, alt: 3, ctrl: 5 }[modifier!]}${arrows[arrow]}`
  const [, character] = /^alt\+(.)$/.exec(key) ?? []
  if (character !== undefined) return `\x1b${character}`
  if ([...key].length !== 1) throw new Error(`unknown key ${key}; use type() for text`)
  return key
}

class FakeStdin extends PassThrough {
  readonly isTTY = true
  isRaw = false

  setRawMode(isRaw: boolean): this {
    this.isRaw = isRaw
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }
}

class FakeStdout extends Writable {
  readonly isTTY = true
  readonly #terminal: Terminal
  bytesWritten = 0
  isCursorVisible = true

  constructor(terminal: Terminal) {
    super({ decodeStrings: false })
    this.#terminal = terminal
  }

  get columns(): number {
    return this.#terminal.cols
  }

  get rows(): number {
    return this.#terminal.rows
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    const text = String(chunk)
    this.bytesWritten += Buffer.byteLength(text)
    const shown = Math.max(text.lastIndexOf('\x1b[?25h'), text.lastIndexOf('\x1b[?25l'))
    if (shown !== -1) this.isCursorVisible = text.startsWith('\x1b[?25h', shown)
    this.#terminal.write(text, done)
  }

  async flush(): Promise<void> {
    await new Promise((resolve) => this.write('', resolve))
  }
}
