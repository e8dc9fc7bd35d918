import { isPlain } from '../json/is-plain.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { capText } from '../output/head-tail.ts'
import { serializeValue } from '../output/serialize-value.ts'
import type { Call } from '../store/call.ts'

export interface WrittenResult {
  /** The tool's return value, without secrets. */
  readonly value: unknown
  /** The value as a string, at most `maxContentLength` characters long. */
  readonly text: string
  /** The file with the complete value. */
  readonly path: string | null
}

/** Turns a tool's return value into what the model reads. A value that is too long is written to a file. */
export class ResultWriter {
  readonly #settings: Pick<RuntimeSettings, 'maxContentLength' | 'clock' | 'log' | 'redactor'>

  constructor(settings: Pick<RuntimeSettings, 'maxContentLength' | 'clock' | 'log' | 'redactor'>) {
    this.#settings = settings
  }

  /** Throws `INVALID_RESULT` for a value that cannot be serialized. */
  write(call: Call, returned: unknown): WrittenResult | Promise<WrittenResult> {
    const redacted = this.#redact(call, returned)
    const { value } = redacted
    const textOf = call.tool?.textOf
    const text = textOf === undefined ? redacted.text : textOf(value)
    if (value instanceof Uint8Array) {
      call.loopOutcome = sample(value.length, (from, to) =>
        Buffer.from(value.subarray(from, to)).toString('latin1'),
      )
      const describe = (where: string): string => `[binary result of ${value.length} bytes${where}]`
      return this.#spill(call, value, value, describe)
    }
    const { maxContentLength } = this.#settings
    if (text !== '') call.loopOutcome = sample(text.length, (from, to) => text.slice(from, to))
    if (text.length > maxContentLength)
      return this.#spill(call, value, text, (where) => capText(text, maxContentLength, where))
    return text === redacted.text ? redacted : { value, text, path: null }
  }

  /** `text` is the whole value as a string; empty for bytes. */
  #redact(call: Call, value: unknown): WrittenResult {
    const { redactor } = this.#settings
    if (value instanceof Uint8Array) return { value: redactor.bytes(value), text: '', path: null }
    const text = serializeValue(call.name, value)
    if (!redactor.active) return { value, text, path: null }
    const redacted = redactor.text(text)
    if (typeof value === 'string') return { value: redacted, text: redacted, path: null }
    // An object of a tool that has read a secret may contain it where its JSON does not show it, so only plain data is returned.
    const isClean = redacted === text && (call.secretsRead === null || isPlain(value))
    return {
      value: isClean || value === undefined ? value : redactor.parse(text),
      text: redacted,
      path: null,
    }
  }

  /** Writes the file within the call's remaining time. The call succeeds even if that fails. */
  async #spill(
    call: Call,
    value: unknown,
    whole: string | Uint8Array,
    describe: (where: string) => string,
  ): Promise<WrittenResult> {
    const { clock, log } = this.#settings
    const controller = new AbortController()
    const stopped = new Promise<null>((resolve) => {
      controller.signal.addEventListener('abort', () => resolve(null), { once: true })
    })
    call.stopSpill = () => controller.abort()
    const timer = clock.setTimer(call.execution!.timer.remainingMs(), () => controller.abort())
    const writing = call.batch.spill.write(call.name, whole, controller.signal).catch((error: unknown) => {
      log({ level: 'warn', message: `the result of ${call.name} could not be written to a file`, error })
      return null
    })
    const path = await Promise.race([writing, stopped])
    clock.clearTimer(timer)
    call.stopSpill = null
    const where = path === null ? '; they could not be saved' : `; the complete result is in ${path}`
    return { value, text: describe(where), path }
  }
}

const sampleLength = 65_536

/** Enough of a value to recognize it for loop detection: all of it, or its length, beginning and end. */
function sample(length: number, slice: (from: number, to: number) => string): string {
  if (length <= 2 * sampleLength) return slice(0, length)
  return `${length} ${slice(0, sampleLength)} ${slice(length - sampleLength, length)}`
}
