import type { Token, Tokens } from 'marked'
import type { Span } from '../spans/wrap-spans.ts'
import type { Role } from '../theme/theme.ts'
import { cleanText } from './clean-text.ts'
import { decodeEntities } from './decode-entities.ts'

/** Converts the tokens of a paragraph. `isPlain`: code keeps its backticks, because nothing else would distinguish it. */
export function inlineSpans(tokens: readonly Token[], isPlain: boolean, roles: readonly Role[] = []): Span[] {
  return tokens.flatMap((token) => tokenSpans(token as Tokens.Generic, isPlain, roles))
}

function tokenSpans(token: Tokens.Generic, isPlain: boolean, roles: readonly Role[]): Span[] {
  const inside = (...more: Role[]): Span[] =>
    inlineSpans(token.tokens ?? [], isPlain, more.length === 0 ? roles : [...roles, ...more])
  switch (token.type) {
    case 'text':
      return token.tokens === undefined ? textSpans(decodeEntities(token.text), roles) : inside()
    case 'strong':
      return inside('strong')
    case 'em':
      return inside('emphasis')
    case 'del':
      return inside('strike')
    case 'codespan':
      return codeSpans(isPlain ? token.raw : token.text, isPlain ? roles : [...roles, 'code'])
    case 'br':
      return [{ text: '\n', roles }]
    case 'link':
      return [...inside('link'), ...addressSpans(token as Tokens.Link, roles)]
    case 'image':
      return [
        ...textSpans('image: ', [...roles, 'muted']),
        ...inside(),
        ...addressSpans(token as Tokens.Image, roles),
      ]
    case 'html':
      // Often the only way to have two lines in the cell of a table.
      return /^<br\s*\/?>$/i.test(token.raw) ? [{ text: '\n', roles }] : textSpans(token.raw, roles)
    case 'escape':
      return textSpans(token.text, roles)
    case 'checkbox':
      return []
    default:
      return textSpans(token.raw, roles)
  }
}

/** Line breaks are kept: models rarely wrap paragraphs, but often start a new line on purpose. */
function textSpans(text: string, roles: readonly Role[]): Span[] {
  return [
    {
      text: cleanText(text)
        .replace(/[ \t]+/g, ' ')
        .replace(/ ?\n\s*/g, '\n'),
      roles,
    },
  ]
}

function codeSpans(text: string, roles: readonly Role[]): Span[] {
  return [{ text: cleanText(text).replace(/[\t\n]/g, ' '), roles }]
}

/** The address, unless the text shows it already: the person sees where a link leads. */
function addressSpans({ href, text }: { href: string; text: string }, roles: readonly Role[]): Span[] {
  const address = href.replace(/^mailto:/i, '')
  if (address === '' || address === text || address === `http://${text}`) return []
  return textSpans(text === '' ? address : ` (${address})`, [...roles, 'muted'])
}
