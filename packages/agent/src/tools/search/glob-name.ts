/** Tests one name of a path. */
export type NameTest = (name: string) => boolean

/** `*`: any number of characters. */
const star = null
const anyCharacter = Symbol('?')
type Token = string | typeof star | typeof anyCharacter | CharacterClass

interface CharacterClass {
  readonly negated: boolean
  readonly ranges: readonly (readonly [string, string])[]
}

/**
 * Compiles one name of a glob: `*`, `?`, `[a-z]`, `[!a-z]`, and `\` to escape them. Takes at most time proportional to pattern x name, so
 * no pattern can block a thread.
 */
export function compileName(source: string): NameTest {
  const tokens = parse(source)
  const literal = (part: readonly Token[]): string | null =>
    part.every((token) => typeof token === 'string') ? part.join('') : null
  const whole = literal(tokens)
  if (whole !== null) return (name) => name === whole
  if (tokens.length === 1 && tokens[0] === star) return () => true
  const suffix = tokens[0] === star ? literal(tokens.slice(1)) : null
  if (suffix !== null) return (name) => name.endsWith(suffix)
  const prefix = tokens.at(-1) === star ? literal(tokens.slice(0, -1)) : null
  if (prefix !== null) return (name) => name.startsWith(prefix)
  return (name) => matchParts<NonNullable<Token>, string>(tokens, name, matchesOne)
}

function parse(source: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < source.length; at++) {
    const character = source[at]!
    if (character === '*') {
      if (tokens.at(-1) !== star) tokens.push(star)
    } else if (character === '?') tokens.push(anyCharacter)
    else if (character === '\\' && at + 1 < source.length) tokens.push(source[++at]!)
    else if (character === '[') {
      const found = parseClass(source, at + 1)
      tokens.push(found?.characterClass ?? character)
      if (found !== null) at = found.end
    } else tokens.push(character)
  }
  return tokens
}

/** `null` if it is not closed: `[` is then an ordinary character. */
function parseClass(source: string, from: number): { characterClass: CharacterClass; end: number } | null {
  const negated = source[from] === '!' || source[from] === '^'
  const first = negated ? from + 1 : from
  const close = source.indexOf(']', first + 1)
  if (close < 0) return null
  const ranges: [string, string][] = []
  for (let at = first; at < close; at++) {
    const isRange = source[at + 1] === '-' && at + 2 < close
    ranges.push([source[at]!, source[isRange ? at + 2 : at]!])
    if (isRange) at += 2
  }
  return { characterClass: { negated, ranges }, end: close }
}

/**
 * Returns whether the items match the parts one by one, where `null` matches any number of items that may be skipped. Takes at most time
 * proportional to parts x items.
 */
export function matchParts<Part, Item>(
  parts: readonly (Part | null)[],
  items: ArrayLike<Item>,
  matches: (part: Part, item: Item) => boolean,
  maySkip: (item: Item) => boolean = () => true,
): boolean {
  let part = 0
  let at = 0
  let lastStar = -1
  let resume = 0
  while (at < items.length) {
    const current = parts[part]
    if (current === null) {
      lastStar = part++
      resume = at
    } else if (current !== undefined && matches(current, items[at]!)) {
      part++
      at++
    } else if (lastStar >= 0 && maySkip(items[resume]!)) {
      part = lastStar + 1
      at = ++resume
    } else return false
  }
  while (parts[part] === null) part++
  return part === parts.length
}

function matchesOne(token: NonNullable<Token>, character: string): boolean {
  if (typeof token === 'string') return token === character
  if (typeof token === 'symbol') return true
  return token.ranges.some(([low, high]) => character >= low && character <= high) !== token.negated
}
