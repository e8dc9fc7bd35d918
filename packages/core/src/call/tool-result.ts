import { CurfewError } from '../errors/curfew-error.ts'
import { describeValue } from '../errors/describe-value.ts'
import { checkParts } from './check-parts.ts'
import type { ResultPart } from './result-part.ts'

export interface ToolResultFields<V> {
  /** For programs: the `value` of the call's result. */
  readonly value?: V
  /**
   * For models that read only text; names of the other parts are appended.
   * @default the text parts, or else the value as JSON
   */
  readonly content?: string | undefined
  /** At most 100, with 8 MiB of text and base64. */
  readonly parts: readonly ResultPart[]
}

/** What a tool returns to add parts to its result. Created by `toolResult`. */
export class ToolResult<V = unknown> {
  readonly value: V
  readonly content: string | undefined
  readonly parts: readonly ResultPart[]
  /** Cannot be forged, so the parts were validated. */
  readonly #isChecked = true

  constructor({ value, content, parts }: ToolResultFields<V>) {
    if (content !== undefined && typeof content !== 'string') {
      const message = `content: expected a string, got ${describeValue(content)}`
      throw new CurfewError('INVALID_RESULT', message, { field: 'content' })
    }
    this.value = value as V
    this.content = content
    this.parts = checkParts(parts)
    Object.freeze(this)
  }

  static is(value: unknown): value is ToolResult {
    return typeof value === 'object' && value !== null && #isChecked in value && value.#isChecked
  }
}

/** A tool's return value with parts: images, audio, files, resources. Throws `INVALID_RESULT` and names the field. */
export function toolResult<V = undefined>(result: ToolResultFields<V>): ToolResult<V> {
  return new ToolResult(result)
}
