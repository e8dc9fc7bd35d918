import type { HistoryItem } from '../history/history-item.ts'
import type { SessionHeader, SessionRecord } from './session-record.ts'

/** Redacts a string or plain data. */
export type Redact = (value: unknown) => unknown

/** As long as a secret can be, such as a private key. */
const maxSecretLength = 8_192

/**
 * Redacts every record, and secrets that continue from one text to the next, also in the next record. Of those, the beginning may
 * already be in the file, so only the rest is removed.
 */
export class RecordRedactor {
  readonly #redact: Redact
  /** The end of the last text. */
  #tail = ''

  constructor(redact: Redact) {
    this.#redact = redact
  }

  record(record: SessionHeader | SessionRecord): unknown {
    const redacted = this.#redact(record) as SessionHeader | SessionRecord
    if (record.type !== 'item' || redacted?.type !== 'item') return redacted
    const { item } = redacted
    switch (item?.type) {
      case 'user':
        return { ...redacted, item: { ...item, parts: this.#userParts(item.parts, record.item) } }
      case 'assistant':
        return { ...redacted, item: { ...item, parts: item.parts.map((part) => this.#textPart(part)) } }
      case 'results':
        return {
          ...redacted,
          item: {
            ...item,
            results: item.results.map((result) => ({ ...result, content: this.#next(result.content) })),
          },
        }
      default:
        return redacted
    }
  }

  #userParts(
    parts: Extract<HistoryItem, { type: 'user' }>['parts'],
    original: HistoryItem,
  ): readonly unknown[] {
    return parts.map((part, index) => {
      if (part.type !== 'file') return this.#textPart(part)
      const before = original.type === 'user' ? original.parts[index] : undefined
      // What is left would not be a valid file, and models reject a request with one.
      if (before?.type === 'file' && before.data !== part.data)
        return { type: 'text', text: `[${part.name ?? 'file'}: not saved, because it contains a secret]` }
      return part
    })
  }

  #textPart<T extends { readonly type: string }>(part: T): T {
    return 'text' in part && typeof part.text === 'string' ? { ...part, text: this.#next(part.text) } : part
  }

  #next(text: string): string {
    const rest = this.#withoutContinuation(text)
    this.#tail = (this.#tail + rest).slice(-maxSecretLength)
    return rest
  }

  #withoutContinuation(text: string): string {
    if (this.#tail === '' || text === '') return text
    const head = text.slice(0, maxSecretLength)
    const joined = this.#tail + head
    const redacted = this.#redact(joined)
    if (redacted === joined) return text
    const kept = typeof redacted === 'string' ? commonSuffixLength(redacted, head) : 0
    return `[secret]${text.slice(head.length - kept)}`
  }
}

function commonSuffixLength(a: string, b: string): number {
  const max = Math.min(a.length, b.length)
  let length = 0
  while (length < max && a.charCodeAt(a.length - 1 - length) === b.charCodeAt(b.length - 1 - length)) length++
  return length
}
