import { EventEmitter } from 'node:events'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'

/** The number of calls in the list, all of which are running. */
export const listedCalls = 100

/** The tasks of each side: one of the listed calls emits `count` chunks, each of which is a line. */
export interface ChunkTasks {
  /** One chunk in each turn of the event loop. */
  oneEachTurn(count: number): Promise<ScreenRun>
  /** All chunks in one turn of the event loop. */
  atOnce(count: number): Promise<ScreenRun>
  /** At an even pace. */
  during(count: number, ms: number): Promise<ScreenRun>
}

/** From the first chunk until the last one was painted. */
export interface ScreenRun {
  readonly ms: number
  readonly cpuMs: number
  readonly rowRenders: number
  readonly paints: number
  /** The number of bytes that were written to the terminal. */
  readonly bytes: number
}

/** A terminal of 100 columns that is higher than the list, and what is measured while a list is rendered to it. */
export class MeasuredScreen {
  readonly stdout: NodeJS.WriteStream
  readonly stdin: NodeJS.ReadStream
  #rowRenders = 0
  #paints = 0
  #bytes = 0
  #sequence = 0
  /** The line of the row that emits. */
  #shown = ''
  /** The line that was on the screen after the last frame. */
  #painted = ''
  #onPaint: () => void = () => {}

  constructor() {
    const write = (chunk: string | Uint8Array, ...rest: readonly unknown[]): boolean => {
      this.#bytes += Buffer.byteLength(chunk)
      for (const callback of rest) if (typeof callback === 'function') callback()
      return true
    }
    const terminal = { columns: 100, rows: listedCalls + 20, isTTY: true, write }
    this.stdout = Object.assign(new EventEmitter(), terminal) as unknown as NodeJS.WriteStream
    const ignored = Object.fromEntries(
      ['setRawMode', 'setEncoding', 'ref', 'unref', 'resume', 'pause'].map((name) => [name, () => {}]),
    )
    const keyboard = { isTTY: true, read: () => null, ...ignored }
    this.stdin = Object.assign(new EventEmitter(), keyboard) as unknown as NodeJS.ReadStream
  }

  /** Called by every render of a row. `line` is the last line of its output. */
  rowRendered(line: string): void {
    this.#rowRenders++
    if (line !== '') this.#shown = line
  }

  /** Called by Ink after it has written a frame. */
  readonly onRender = (): void => {
    this.#paints++
    this.#painted = this.#shown
    this.#onPaint()
  }

  /** The tasks of a side whose call emits a line with `emit`. */
  tasks(emit: (line: string) => void): ChunkTasks {
    const next = (): string => `line ${++this.#sequence}`
    return {
      oneEachTurn: (count) =>
        this.#measure(async () => {
          for (let index = 0; index < count; index++) {
            emit(next())
            await nextTurn()
          }
        }),
      atOnce: (count) =>
        this.#measure(async () => {
          for (let index = 0; index < count; index++) emit(next())
        }),
      during: (count, ms) =>
        this.#measure(async () => {
          const start = performance.now()
          for (let emitted = 0; emitted < count; ) {
            const due = Math.min(count, Math.ceil(((performance.now() - start) / ms) * count))
            for (; emitted < due; emitted++) emit(next())
            await pause(1)
          }
        }),
    }
  }

  async #measure(emitAll: () => Promise<void>): Promise<ScreenRun> {
    const before = { rowRenders: this.#rowRenders, paints: this.#paints, bytes: this.#bytes }
    const cpuBefore = process.cpuUsage()
    const start = performance.now()
    await emitAll()
    await this.#untilPainted(`line ${this.#sequence}`)
    const ms = performance.now() - start
    const { user, system } = process.cpuUsage(cpuBefore)
    return {
      ms,
      cpuMs: (user + system) / 1_000,
      rowRenders: this.#rowRenders - before.rowRenders,
      paints: this.#paints - before.paints,
      bytes: this.#bytes - before.bytes,
    }
  }

  /** Resolves after the frame that contains this line. */
  async #untilPainted(line: string): Promise<void> {
    if (this.#painted === line) return
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(reject, 60_000, new Error(`"${line}" was not painted within a minute`))
      this.#onPaint = () => {
        if (this.#painted !== line) return
        clearTimeout(timer)
        resolve()
      }
    })
    this.#onPaint = () => {}
  }
}
