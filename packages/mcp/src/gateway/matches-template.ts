/** What is longer, or has more parts, fits nothing: it is a server's to write, and must not keep everybody waiting. */
const maxLength = 8_192
const maxParts = 64

/** A text as it stands, or one or more of some characters. */
type Piece = string | RegExp

/**
 * Whether a URI could come from a URI template. Not by a regular expression: a template is whatever a server wrote, and one
 * with eight variables in a row would take for ever. This takes as many steps as the URI has characters, for each piece.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  if (template.length > maxLength || uri.length > maxLength) return false
  const pieces = piecesOf(template)
  if (pieces.length > maxParts) return false
  let ends: readonly number[] = [0]
  for (const piece of pieces) {
    ends = typeof piece === 'string' ? afterText(piece, uri, ends) : afterSome(piece, uri, ends)
    if (ends.length === 0) return false
  }
  return ends.at(-1) === uri.length
}

function afterText(text: string, uri: string, ends: readonly number[]): number[] {
  return ends.filter((end) => uri.startsWith(text, end)).map((end) => end + text.length)
}

/** Everywhere that one or more of these characters may end, from any of these places; in order, each once. */
function afterSome(character: RegExp, uri: string, ends: readonly number[]): number[] {
  const found: number[] = []
  let at = 0
  for (const end of ends) {
    for (at = Math.max(at, end); at < uri.length && character.test(uri[at]!); at++) found.push(at + 1)
  }
  return found
}

function piecesOf(template: string): Piece[] {
  return template
    .split(/\{([^{}]*)\}/)
    .flatMap((part, index) => (index % 2 === 0 ? [part] : piecesOfExpression(part)))
    .filter((piece) => piece !== '')
}

function piecesOfExpression(expression: string): Piece[] {
  const [, operator = '', names = ''] = /^([+#./?&]?)(.*)$/s.exec(expression)!
  if (operator === '+' || operator === '#') return [/[\s\S]/]
  if (operator === '?' || operator === '&') {
    return names.split(',').flatMap((name, index) => [`${index === 0 ? operator : '&'}${name}=`, /[^&]/])
  }
  return [operator, names.includes('*') || names.includes(',') ? /[^/]/ : /[^/,]/]
}
