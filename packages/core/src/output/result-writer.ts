import type { Call } from '../call/call.ts'
import type { RuntimeSettings } from '../runtime/runtime-options.ts'
import { capText } from './head-tail.ts'
import { serializeValue } from './serialize-value.ts'
import { SpillDirectory } from './spill.ts'

/** Turns what a tool returned into what the model reads: capped, and the whole in a file if it was too long. */
export class ResultWriter {
  readonly #settings: Pick<RuntimeSettings, 'maxContentLength' | 'clock' | 'log' | 'redactor'>
  readonly #directory: SpillDirectory

  constructor(
    settings: Pick<RuntimeSettings, 'maxContentLength' | 'clock' | 'log' | 'redactor' | 'spillDirectory'>,
  ) {
    this.#settings = settings
    this.#directory = new SpillDirectory(settings.spillDirectory)
  }

  /** Throws `INVALID_RESULT` for what cannot be written. */
  write(call: Call, value: unknown): string | Promise<string> {
    if (value instanceof Uint8Array) {
      call.loopOutcome = sample(value.length, (from, to) =>
        Buffer.from(value.subarray(from, to)).toString('latin1'),
      )
      return this.#spill(call, value, (where) => `[binary result of ${value.length} bytes${where}]`)
    }
    const text = this.#settings.redactor.text(serializeValue(call.name, value))
    const { maxContentLength } = this.#settings
    if (text !== '') call.loopOutcome = sample(text.length, (from, to) => text.slice(from, to))
    if (text.length <= maxContentLength) return text
    return this.#spill(call, text, (where) => capText(text, maxContentLength, where))
  }

  /** The value is there in time; the file has what is left of the call's deadline. */
  async #spill(call: Call, whole: string | Uint8Array, describe: (where: string) => string): Promise<string> {
    const { clock, log } = this.#settings
    const controller = new AbortController()
    const stopped = new Promise<null>((resolve) => {
      controller.signal.addEventListener('abort', () => resolve(null), { once: true })
    })
    call.stopSpill = () => controller.abort()
    const timer = clock.setTimer(call.execution!.timer.remainingMs(), () => controller.abort())
    const writing = this.#directory.write(call.name, whole, controller.signal).catch((error: unknown) => {
      log({ level: 'warn', message: `the result of ${call.name} could not be written to a file`, error })
      return null
    })
    const path = await Promise.race([writing, stopped])
    clock.clearTimer(timer)
    call.stopSpill = null
    return describe(path === null ? '; they could not be kept' : `; the whole is in ${path}`)
  }
}

const sampleLength = 65_536

/** Enough of a value to tell whether it is the same as before: all of it, or its length and both ends. */
function sample(length: number, slice: (from: number, to: number) => string): string {
  if (length <= 2 * sampleLength) return slice(0, length)
  return `${length} ${slice(0, sampleLength)} ${slice(length - sampleLength, length)}`
}
