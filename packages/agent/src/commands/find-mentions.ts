/** Something that a person refers to with `@`, in the order of the text. */
export type Mention = {
  /** As typed, including the `@`. */
  readonly text: string
  readonly start: number
  readonly end: number
} & MentionTarget

export type MentionTarget =
  | { readonly type: 'path'; readonly value: string }
  | { readonly type: 'glob'; readonly value: string }
  | { readonly type: 'url'; readonly value: string }
  /** A resource of an MCP server. */
  | { readonly type: 'resource'; readonly server: string; readonly uri: string }

export type MentionType = Mention['type']

/** Later ones stay text, so that a pasted file with thousands of `@` does not start thousands of reads. */
export const maxMentions = 100
const maxLength = 4_096

/** An `@` after a letter is an email address, after a backslash it is escaped. */
const start = /(?<=^|[\s([{<"'`,;])@(?=[^\s@])/g
const opening: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{', '>': '<' }

/**
 * Finds `@path`, `@glob`, `@url`, `@server:uri` and `@"path with spaces"`. Whether a path exists is not checked: what no resolver
 * knows stays text.
 */
export function findMentions(text: string, isServer: (name: string) => boolean = () => false): Mention[] {
  const mentions: Mention[] = []
  start.lastIndex = 0
  for (let match = start.exec(text); match !== null; match = start.exec(text)) {
    const at = match.index
    const { value, end, next } = readTarget(text, at + 1)
    start.lastIndex = next
    if (value === '') continue
    mentions.push({ text: text.slice(at, end), start: at, end, ...classify(value, isServer) })
    if (mentions.length === maxMentions) break
  }
  return mentions
}

interface Target {
  /** Empty if there is none. */
  readonly value: string
  readonly end: number
  /** Where to look for the next mention. */
  readonly next: number
}

function readTarget(text: string, from: number): Target {
  const rest = text.slice(from, from + maxLength)
  const [quoted, inside = ''] = /^"([^"\n]+)"/.exec(rest) ?? []
  if (quoted !== undefined) return { value: inside, end: from + quoted.length, next: from + quoted.length }
  const [word = ''] = /^(?:\\ |[^\s"'`<>])+/.exec(rest) ?? []
  // Never back, so that the time is linear in the length of the text.
  const next = from + Math.max(1, word.length)
  if (word.length === maxLength) return { value: '', end: from, next: nextBlank(text, next) }
  const trimmed = trimEnd(word)
  return { value: trimmed.replaceAll('\\ ', ' '), end: from + trimmed.length, next }
}

function nextBlank(text: string, from: number): number {
  const blank = /\s/g
  blank.lastIndex = from
  return blank.exec(text)?.index ?? text.length
}

/** Without the punctuation of the sentence. A closing bracket is kept if the mention contains the opening one. */
function trimEnd(word: string): string {
  const counts = new Map<string, number>()
  for (const character of word) counts.set(character, (counts.get(character) ?? 0) + 1)
  const count = (character: string): number => counts.get(character) ?? 0
  let end = word.length
  for (; end > 0; end--) {
    const last = word[end - 1]!
    const pair = opening[last]
    if (pair === undefined ? !'.,;:!?'.includes(last) : count(pair) >= count(last)) break
    // `@.` and `@..` are folders.
    if (end <= 2 && /^\.{1,2}$/.test(word.slice(0, end))) break
    counts.set(last, count(last) - 1)
  }
  return word.slice(0, end)
}

function classify(value: string, isServer: (name: string) => boolean): MentionTarget {
  if (/^https?:\/\//i.test(value)) return { type: 'url', value }
  const [, server, uri] = /^([^\s:/\\]+):(.+)$/s.exec(value) ?? []
  if (server !== undefined && isServer(server)) return { type: 'resource', server, uri: uri! }
  return { type: /[*?]|\[.+\]|\{.*,.*\}/s.test(value) ? 'glob' : 'path', value }
}
