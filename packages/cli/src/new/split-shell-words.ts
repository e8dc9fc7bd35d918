/** A pasted command has a part that is not supported; the message names it. */
export class UnsupportedCommand extends Error {}

const separators = /[\s]/
const operators = new Set(['|', '&', ';', '<', '>', '(', ')', '`'])
const ansiEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
  a: '\x07',
  b: '\b',
  e: '\x1b',
}

/** The words of one command, as a POSIX shell splits them: quotes, backslashes, continued lines. Nothing is expanded. */
export function splitShellWords(text: string): string[] {
  const words: string[] = []
  let word: string | null = null
  let at = 0
  const add = (part: string): void => {
    word = (word ?? '') + part
  }
  const until = (quote: string, from: number): number => {
    const end = text.indexOf(quote, from)
    if (end === -1) throw new UnsupportedCommand(`unterminated ${quote}`)
    return end
  }
  while (at < text.length) {
    const character = text[at]!
    if (character === '\\') {
      const next = text.slice(at + 1, at + 3) === '\r\n' ? '\r\n' : (text[at + 1] ?? '')
      if (next !== '\n' && next !== '\r\n') add(next)
      at += 1 + next.length
    } else if (character === "'") {
      const end = until("'", at + 1)
      add(text.slice(at + 1, end))
      at = end + 1
    } else if (text.startsWith("$'", at)) {
      const { value, end } = ansiQuoted(text, at + 2)
      add(value)
      at = end
    } else if (character === '"') {
      const { value, end } = doubleQuoted(text, at + 1)
      add(value)
      at = end
    } else if (separators.test(character)) {
      if (word !== null) words.push(word)
      word = null
      at++
    } else if (operators.has(character)) {
      throw new UnsupportedCommand(
        `it contains ${character}, which only a shell interprets; expected a single command`,
      )
    } else {
      add(character)
      at++
    }
  }
  if (word !== null) words.push(word)
  return words
}

function doubleQuoted(text: string, from: number): { value: string; end: number } {
  let value = ''
  for (let at = from; at < text.length; at++) {
    const character = text[at]!
    if (character === '"') return { value, end: at + 1 }
    const next = text[at + 1] ?? ''
    if (character === '\\' && '"\\$`\n'.includes(next) && next !== '') {
      if (next !== '\n') value += next
      at++
    } else value += character
  }
  throw new UnsupportedCommand('unterminated "')
}

/** `$'...'`, as browsers write it. */
function ansiQuoted(text: string, from: number): { value: string; end: number } {
  let value = ''
  for (let at = from; at < text.length; at++) {
    const character = text[at]!
    if (character === "'") return { value, end: at + 1 }
    if (character !== '\\') {
      value += character
      continue
    }
    const code = /^(?:u([0-9a-f]{1,4})|x([0-9a-f]{1,2}))/i.exec(text.slice(at + 1, at + 6))
    const next = text[at + 1] ?? ''
    value +=
      code === null
        ? (ansiEscapes[next] ?? next)
        : String.fromCharCode(Number.parseInt(code[1] ?? code[2]!, 16))
    at += code === null ? 1 : code[0].length
  }
  throw new UnsupportedCommand("unterminated $'")
}
