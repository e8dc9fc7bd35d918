import { CurfewError } from '@curfew/core'
import { splitWords } from './split-words.ts'

const placeholder = /(\\?)\$(ARGUMENTS\b|[1-9](?!\d))/g
const maxLength = 1 << 20

/**
 * Fills in `$ARGUMENTS` and `$1` to `$9`; `\$1` is text. Arguments are added at the end if the body has no place for them.
 *
 * @throws CurfewError `INVALID_PARAMS` if the result is too long.
 */
export function expandArguments(body: string, typed: string): string {
  const words = wordsOf(typed)
  let hasPlaceholder = false
  let length = body.length
  const expanded = body.replace(placeholder, (_match, backslash: string, name: string) => {
    if (backslash !== '') return `$${name}`
    hasPlaceholder = true
    const value = name === 'ARGUMENTS' ? typed : (words[Number(name) - 1] ?? '')
    length += value.length
    // Checked here, because a short body can repeat long arguments thousands of times.
    if (length > maxLength) throw tooLong()
    return value
  })
  if (hasPlaceholder || typed === '') return expanded
  if (expanded.length + typed.length > maxLength) throw tooLong()
  return `${expanded.trimEnd()}\n\n${typed}`
}

function tooLong(): CurfewError {
  return new CurfewError(
    'INVALID_PARAMS',
    `expected at most ${maxLength} characters with the arguments filled in`,
  )
}

/** In prose, a single quote is an apostrophe. */
function wordsOf(typed: string): string[] {
  try {
    return splitWords(typed)
  } catch {
    return typed.split(/\s+/)
  }
}
