import { type ResultPart, textOfPart } from '../call/result-part.ts'
import { ToolResult } from '../call/tool-result.ts'
import { abortable } from '../collections/abortable.ts'
import { isPlain } from '../json/is-plain.ts'
import type { RuntimeSettings } from '../options/resolve-options.ts'
import { capText } from '../output/head-tail.ts'
import { redactParts } from '../output/redact-parts.ts'
import { serializeValue } from '../output/serialize-value.ts'
import type { Call } from '../store/call.ts'

export interface WrittenResult {
  /** The tool's return value, without secrets. */
  readonly value: unknown
  /** The value as a string, at most `maxContentLength` characters long. */
  readonly text: string
  readonly parts?: readonly ResultPart[] | undefined
  /** The file with the complete value. */
  readonly path?: string | undefined
}

/** Turns a tool's return value into what the model reads. A value that is too long is written to a file. */
export class ResultWriter {
  readonly #settings: Pick<RuntimeSettings, 'maxContentLength' | 'clock' | 'log' | 'redactor'>

  constructor(settings: Pick<RuntimeSettings, 'maxContentLength' | 'clock' | 'log' | 'redactor'>) {
    this.#settings = settings
  }

  /** Throws `INVALID_RESULT` for a value that cannot be serialized. */
  write(call: Call, returned: unknown): WrittenResult | Promise<WrittenResult> {
    if (ToolResult.is(returned)) return this.#writeToolResult(call, returned)
    const redacted = this.#redact(call, returned)
    const { value } = redacted
    const textOf = call.tool?.textOf
    const text = textOf === undefined ? redacted.text : textOf(value)
    if (value instanceof Uint8Array) {
      call.loopOutcome = sample(value.length, (from, to) =>
        Buffer.from(value.subarray(from, to)).toString('latin1'),
      )
      return this.#spill(call, value, (where) => ({
        value,
        text: `[binary result of ${value.length} bytes${where}]`,
      }))
    }
    const parts = call.tool?.partsOf?.(value)
    if (parts !== undefined)
      return this.#writeParts(call, value, text, redactParts(parts, this.#settings.redactor))
    const { maxContentLength } = this.#settings
    const outcome = call.tool?.outcomeOf?.(value) ?? text
    if (outcome !== '') call.loopOutcome = sample(outcome.length, (from, to) => outcome.slice(from, to))
    if (text.length > maxContentLength)
      return this.#spill(call, text, (where) => ({ value, text: capText(text, maxContentLength, where) }))
    return text === redacted.text ? redacted : { value, text }
  }

  #writeToolResult(call: Call, result: ToolResult): WrittenResult | Promise<WrittenResult> {
    const { redactor } = this.#settings
    const { content } = result
    const { value, text } = this.#redact(call, result.value)
    const parts = redactParts(result.parts, redactor)
    const hasText = parts.some(({ type }) => type === 'text')
    const body = content !== undefined ? redactor.text(content) : hasText ? '' : text
    const named = content === undefined ? parts : parts.filter(({ type }) => type !== 'text')
    const lines = [body, ...named.map(textOfPart)].filter((line) => line !== '')
    const complete = hasText || body === '' ? parts : [{ type: 'text', text: body } as const, ...parts]
    return this.#writeParts(call, value, lines.join('\n'), complete)
  }

  /** The text of the parts is limited like any other text. */
  #writeParts(
    call: Call,
    value: unknown,
    text: string,
    parts: readonly ResultPart[],
  ): WrittenResult | Promise<WrittenResult> {
    const { maxContentLength } = this.#settings
    call.loopOutcome = [text, ...parts.map((part) => ('data' in part ? (part.data ?? '') : ''))]
      .map((item) => sample(item.length, (from, to) => item.slice(from, to)))
      .join('\0')
    const textLength = parts.reduce((sum, part) => sum + (('text' in part && part.text?.length) || 0), 0)
    if (text.length <= maxContentLength && textLength <= maxContentLength) return { value, text, parts }
    const whole = text.length > maxContentLength ? text : parts.map(textOfPart).join('\n')
    return this.#spill(call, whole, (where) => ({
      value,
      text: capText(text, maxContentLength, where),
      parts:
        textLength <= maxContentLength ? parts : withoutText(parts, capText(whole, maxContentLength, where)),
    }))
  }

  /** `text` is the whole value as a string; empty for bytes. */
  #redact(call: Call, value: unknown): WrittenResult {
    const { redactor } = this.#settings
    if (value instanceof Uint8Array) return { value: redactor.bytes(value), text: '' }
    const text = serializeValue(call.name, value)
    if (!redactor.active) return { value, text }
    const redacted = redactor.text(text)
    if (typeof value === 'string') return { value: redacted, text: redacted }
    // An object of a tool that has read a secret may contain it where its JSON does not show it, so only plain data is returned.
    const isClean = redacted === text && (call.secretsRead === null || isPlain(value))
    return { value: isClean || value === undefined ? value : redactor.parse(text), text: redacted }
  }

  /** Writes the file within the call's remaining time. The call succeeds even if that fails. */
  async #spill(
    call: Call,
    whole: string | Uint8Array,
    describe: (where: string) => WrittenResult,
  ): Promise<WrittenResult> {
    const { clock, log } = this.#settings
    const controller = new AbortController()
    call.stopSpill = () => controller.abort()
    const timer = clock.setTimer(call.execution!.timer.remainingMs(), () => controller.abort())
    const { spill } = call.batch.turn.conversation
    const writing = spill.write(call.name, whole, controller.signal).catch((error: unknown) => {
      log({ level: 'warn', message: `the result of ${call.name} could not be written to a file`, error })
      return null
    })
    const path = await abortable(writing, controller.signal).catch(() => null)
    clock.clearTimer(timer)
    call.stopSpill = null
    if (path === null) return describe('; they could not be saved')
    return { ...describe(`; the complete result is in ${path}`), path }
  }
}

/** Replaces the text of all parts with one string. */
function withoutText(parts: readonly ResultPart[], text: string): ResultPart[] {
  const others = parts.flatMap((part): ResultPart[] => {
    if (part.type !== 'resource') return part.type === 'text' ? [] : [part]
    const { text: _text, ...link } = part
    return [link]
  })
  return [{ type: 'text', text }, ...others]
}

const sampleLength = 65_536

/** Enough of a value to recognize it for loop detection: all of it, or its length, beginning and end. */
function sample(length: number, slice: (from: number, to: number) => string): string {
  if (length <= 2 * sampleLength) return slice(0, length)
  return `${length} ${slice(0, sampleLength)} ${slice(length - sampleLength, length)}`
}
