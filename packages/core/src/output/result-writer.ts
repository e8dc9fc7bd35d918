import type { Call } from '../call/call.ts'
import { isPlain } from '../json/is-plain.ts'
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

  /** The value without secrets, and as a text. Throws `INVALID_RESULT` for what cannot be written. */
  hide(call: Call, value: unknown): HiddenValue {
    const hidden = this.#hide(call, value)
    const textOf = call.tool?.textOf
    return textOf === undefined ? hidden : { value: hidden.value, text: textOf(hidden.value) }
  }

  #hide(call: Call, value: unknown): HiddenValue {
    const { redactor } = this.#settings
    if (value instanceof Uint8Array) return { value: redactor.bytes(value), text: '' }
    const text = serializeValue(call.name, value)
    if (!redactor.active) return { value, text }
    const hidden = redactor.text(text)
    if (typeof value === 'string') return { value: hidden, text: hidden }
    // What was given a secret may keep it where no text shows it: such a tool's objects do not leave, only their data.
    const clean = hidden === text && (call.secretsRead === null || isPlain(value))
    return { value: clean || value === undefined ? value : redactor.parse(text), text: hidden }
  }

  write(call: Call, { value, text }: HiddenValue): string | Promise<string> {
    if (value instanceof Uint8Array) {
      call.loopOutcome = sample(value.length, (from, to) =>
        Buffer.from(value.subarray(from, to)).toString('latin1'),
      )
      return this.#spill(call, value, (where) => `[binary result of ${value.length} bytes${where}]`)
    }
    const { maxContentLength } = this.#settings
    if (text !== '') call.loopOutcome = sample(text.length, (from, to) => text.slice(from, to))
    if (text.length <= maxContentLength) return text
    return this.#spill(call, text, (where) => capText(text, maxContentLength, where))
  }

  /** Removes the files that are temporary. */
  async close(): Promise<void> {
    await this.#directory.close()
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

export interface HiddenValue {
  readonly value: unknown
  readonly text: string
}

const sampleLength = 65_536

/** Enough of a value to tell whether it is the same as before: all of it, or its length and both ends. */
function sample(length: number, slice: (from: number, to: number) => string): string {
  if (length <= 2 * sampleLength) return slice(0, length)
  return `${length} ${slice(0, sampleLength)} ${slice(length - sampleLength, length)}`
}
