/** Longer templates and URIs never match: servers choose them, and matching must stay fast. */
const maxLength = 8_192
const maxParts = 64

/** A literal string, or a character class that matches one or more characters. */
type Part = string | RegExp

/**
 * Whether a URI matches a URI template. Without a regular expression, because a template with eight consecutive variables would
 * backtrack forever; this takes at most as many steps per part as the URI has characters.
 */
export function matchesTemplate(template: string, uri: string): boolean {
  if (template.length > maxLength || uri.length > maxLength) return false
  const parts = partsOf(template)
  if (parts.length > maxParts) return false
  let ends: readonly number[] = [0]
  for (const part of parts) {
    ends = typeof part === 'string' ? endsAfterString(part, uri, ends) : endsAfterCharacters(part, uri, ends)
    if (ends.length === 0) return false
  }
  return ends.at(-1) === uri.length
}

function endsAfterString(text: string, uri: string, ends: readonly number[]): number[] {
  return ends.filter((end) => uri.startsWith(text, end)).map((end) => end + text.length)
}

/** Every position where one or more of these characters can end, starting from any of `ends`; sorted and unique. */
function endsAfterCharacters(character: RegExp, uri: string, ends: readonly number[]): number[] {
  const found: number[] = []
  let at = 0
  for (const end of ends) {
    for (at = Math.max(at, end); at < uri.length && character.test(uri[at]!); at++) found.push(at + 1)
  }
  return found
}

function partsOf(template: string): Part[] {
  return template
    .split(/\{([^{}]*)\}/)
    .flatMap((part, index) => (index % 2 === 0 ? [part] : partsOfExpression(part)))
    .filter((part) => part !== '')
}

function partsOfExpression(expression: string): Part[] {
  const [, operator = '', names = ''] = /^([+#./?&]?)(.*)$/s.exec(expression)!
  if (operator === '+' || operator === '#') return [/[\s\S]/]
  if (operator === '?' || operator === '&') {
    return names.split(',').flatMap((name, index) => [`${index === 0 ? operator : '&'}${name}=`, /[^&]/])
  }
  return [operator, names.includes('*') || names.includes(',') ? /[^/]/ : /[^/,]/]
}
