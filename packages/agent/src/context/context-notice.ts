/** How much of the context window a conversation uses. */
export interface ContextUsage {
  /** Of the next request, as far as it is known: what the provider reported, and an estimate of what was added since. */
  readonly tokens: number
  /** `null` if it is unknown. */
  readonly window: number | null
  /** `tokens / window`. */
  readonly share: number | null
}

/** The history was reduced. */
export interface ContextNotice {
  readonly kind: 'context'
  readonly message: string
  /** Results of which only the beginning and the end remain. */
  readonly shortenedResults: number
  /** Items that were removed. */
  readonly removedItems: number
  /** Whether a summary replaces them. */
  readonly isSummarized: boolean
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly window: number | null
}

/** What was done to the history. */
export type Reduction = Pick<ContextNotice, 'shortenedResults' | 'removedItems' | 'isSummarized'>

/** `null` if nothing was done. */
export function contextNotice(
  { shortenedResults, removedItems, isSummarized }: Reduction,
  tokensBefore: number,
  { tokens: tokensAfter, window }: ContextUsage,
): ContextNotice | null {
  const done: string[] = []
  if (shortenedResults > 0)
    done.push(
      shortenedResults === 1
        ? 'an old result was shortened'
        : `${shortenedResults} old results were shortened`,
    )
  if (removedItems > 0) {
    const what = removedItems === 1 ? 'the oldest message was' : `the oldest ${removedItems} messages were`
    done.push(isSummarized ? `${what} replaced by a summary` : `${what} removed without a summary`)
  }
  if (done.length === 0) return null
  const size = (tokens: number): string => tokens.toLocaleString('en-US')
  const limit = window === null ? '' : ` of ${size(window)}`
  const message = `${done.join(', and ')} to make room in the model's context: ${size(tokensBefore)} -> ${size(tokensAfter)}${limit} tokens`
  return {
    kind: 'context',
    message,
    shortenedResults,
    removedItems,
    isSummarized,
    tokensBefore,
    tokensAfter,
    window,
  }
}
