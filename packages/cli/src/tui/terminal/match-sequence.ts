/** What the terminal sent by itself: `ESC`, the introducer, the body and, unless it is `[`, an end. */
export interface TerminalResponse {
  /** CSI, OSC, DCS or APC. */
  readonly introducer: '[' | ']' | 'P' | '_'
  readonly body: string
}

/** What begins with an escape character. */
export type Match =
  | { readonly kind: 'key'; readonly end: number }
  /** `null` if it was interrupted, so that nobody can use it. */
  | { readonly kind: 'response'; readonly end: number; readonly response: TerminalResponse | null }
  /** More may follow; `isResponse`: nobody can have typed this. */
  | { readonly kind: 'pending'; readonly isResponse: boolean }

const escapeCharacter = '\u001b'
const bell = '\u0007'
/** Anything longer is not a response to any question that we ask. */
const maxResponseLength = 4_096
const maxSequenceLength = 256

/** Decides whether the escape sequence at this index is a key or a response. Alt and a key is also an escape character and the key. */
export function matchSequence(input: string, at: number): Match {
  switch (input[at + 1]) {
    case undefined:
      return { kind: 'pending', isResponse: false }
    case '[':
      return matchControl(input, at)
    case ']':
    case 'P':
    case '_':
      return matchString(input, at, input[at + 1] as ']' | 'P' | '_')
    default:
      return { kind: 'key', end: at + 1 }
  }
}

const control = new RegExp(`${escapeCharacter}\\[([0-?]*)[ -/]*([@-~])?`, 'y')

function matchControl(input: string, at: number): Match {
  control.lastIndex = at
  const [text, parameters, final] = control.exec(input) as unknown as [string, string, string | undefined]
  const end = at + text.length
  const isPrivate = /^[?>=]/.test(parameters)
  if (final === undefined) {
    if (end === input.length && text.length < maxSequenceLength)
      return { kind: 'pending', isResponse: isPrivate }
    return isPrivate ? { kind: 'response', end, response: null } : { kind: 'key', end: at + 1 }
  }
  // The answer to the question about the kitty keyboard is for Ink.
  const isKeyboard = parameters.startsWith('?') && final === 'u'
  const isFocus = text === `${escapeCharacter}[I` || text === `${escapeCharacter}[O`
  if ((!isPrivate || isKeyboard) && !isFocus) return { kind: 'key', end }
  return { kind: 'response', end, response: { introducer: '[', body: text.slice(2) } }
}

/** The first characters of the strings that terminals send, so that Alt+] or Alt+Shift+P and a letter are keys. */
const firstOf = { ']': /\d/, P: /[\d>!$+|]/, _: /G/ }
const colorReport = /^(?:4|1\d);/

function matchString(input: string, at: number, introducer: ']' | 'P' | '_'): Match {
  const start = at + 2
  if (start === input.length) return { kind: 'pending', isResponse: false }
  if (!firstOf[introducer].test(input[start]!)) return { kind: 'key', end: at + 1 }
  // What follows a colour that was cut off was typed.
  const isColor = introducer === ']' && colorReport.test(input.slice(start, start + 3))
  const content = isColor ? /[\da-frgb:/#;]*/iy : /[^\p{Cc}]*/uy
  content.lastIndex = start
  const body = content.exec(input)![0].slice(0, maxResponseLength)
  const end = start + body.length
  const isResponse = body.length > 1
  if (end === input.length) return { kind: 'pending', isResponse }
  const response = { introducer, body }
  if (input[end] === bell) return { kind: 'response', end: end + 1, response }
  if (input[end] === escapeCharacter) {
    if (end + 1 === input.length) return { kind: 'pending', isResponse }
    if (input[end + 1] === '\\') return { kind: 'response', end: end + 2, response }
  }
  return isResponse ? { kind: 'response', end, response: null } : { kind: 'key', end: at + 1 }
}
