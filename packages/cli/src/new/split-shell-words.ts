/** A pasted command has a part that is not supported; the message names it. */
export class UnsupportedCommand extends Error {}

/** An escaped character, a quoted string (single, `$'...'` as browsers write it, or double), white space, an operator, or plain text. */
const token =
  /\\(\r?\n|.|$)|'([^']*)'|\$'((?:\\.|[^'\\])*)'|"((?:\\.|[^"\\])*)"|(\s+)|([|&;<>()`])|([^\s\\'"|&;<>()`$]+|\$(?!'))/sy
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
  for (token.lastIndex = 0; token.lastIndex < text.length; ) {
    const start = token.lastIndex
    const found = token.exec(text)
    if (found === null) {
      const [quote] = /^(?:\$'|'|")/.exec(text.slice(start))!
      throw new UnsupportedCommand(`unterminated ${quote}`)
    }
    const [, escaped, single, ansi, double, space, operator, plain] = found
    if (operator !== undefined)
      throw new UnsupportedCommand(
        `it contains ${operator}, which only a shell interprets; expected a single command`,
      )
    if (space !== undefined) {
      if (word !== null) words.push(word)
      word = null
    } else if (escaped === undefined || !/^\r?\n$/.test(escaped)) {
      const quoted = ansi === undefined ? double?.replace(/\\(?:\n|(["\\$`]))/g, '$1') : unescapeAnsi(ansi)
      word = (word ?? '') + (escaped ?? single ?? quoted ?? plain)
    }
  }
  if (word !== null) words.push(word)
  return words
}

function unescapeAnsi(text: string): string {
  return text.replace(
    /\\(?:u([0-9a-f]{1,4})|x([0-9a-f]{1,2})|(.))/gis,
    (_, unicode?: string, byte?: string, character = '') => {
      const code = unicode ?? byte
      return code === undefined
        ? (ansiEscapes[character] ?? character)
        : String.fromCharCode(Number.parseInt(code, 16))
    },
  )
}
