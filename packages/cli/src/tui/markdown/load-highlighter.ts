import type { Span } from '../spans/wrap-spans.ts'
import type { Role } from '../theme/theme.ts'
import { scopeRoles } from './scope-roles.ts'

export interface Highlighter {
  /** The lines of `code` with the roles of their parts; `undefined` if the language is unknown or the code is too long. */
  highlight(code: string, language: string): Span[][] | undefined
}

/** The part of highlight.js that is used. */
interface Core {
  registerLanguage(name: string, language: (core: object) => object): void
  registerAliases(aliases: string[], options: { languageName: string }): void
  getLanguage(name: string): object | undefined
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { readonly value: string }
}

/** Some grammars take quadratic time, for the length of the code or of one line. */
const maxCodeLength = 8_000
const maxLineLength = 500

const aliases = {
  bash: ['shell', 'console', 'shellsession', 'shell-session', 'terminal', 'fish'],
  xml: ['vue', 'svelte'],
  json: ['jsonl', 'ndjson'],
}

let loading: Promise<Highlighter> | undefined

/**
 * Loads highlight.js with its languages, once. Start it early; until it has been loaded, code is rendered without colours. Never
 * rejects.
 */
export function loadHighlighter(): Promise<Highlighter> {
  loading ??= load().catch(() => ({ highlight: () => undefined }))
  return loading
}

async function load(): Promise<Highlighter> {
  const [{ default: core }, { highlightLanguages }] = await Promise.all([
    // The cast keeps its types out, which would add those of a browser to the whole program.
    import('highlight.js/lib/core' as string) as Promise<{ default: Core }>,
    import('./highlight-languages.ts'),
  ])
  for (const [name, language] of Object.entries(highlightLanguages)) core.registerLanguage(name, language)
  for (const [languageName, names] of Object.entries(aliases)) core.registerAliases(names, { languageName })
  const highlight = (code: string, language: string): Span[][] | undefined => {
    if (core.getLanguage(language) === undefined || isTooLong(code)) return undefined
    try {
      return toLines(core.highlight(code, { language, ignoreIllegals: true }).value)
    } catch {
      return undefined
    }
  }
  return { highlight: rememberLast(highlight) }
}

/** While code arrives, everything but its last line is rendered again and again. */
function rememberLast(highlight: Highlighter['highlight']): Highlighter['highlight'] {
  let known: { code: string; language: string; lines: Span[][] | undefined } | undefined
  return (code, language) => {
    if (known?.code === code && known.language === language) return known.lines
    const lines = highlight(code, language)
    if (code.includes('\n')) known = { code, language, lines }
    return lines
  }
}

function isTooLong(code: string): boolean {
  return code.length > maxCodeLength || code.split('\n').some((line) => line.length > maxLineLength)
}

const htmlParts = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+/g
const characters: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#x27': "'" }

/** Converts the HTML that highlight.js produces. */
function toLines(html: string): Span[][] {
  const lines: Span[][] = [[]]
  const scopes: (readonly Role[])[] = [[]]
  for (const [part, classes, entity] of html.matchAll(htmlParts)) {
    if (classes !== undefined) scopes.push(scopeRoles(classes) ?? scopes.at(-1)!)
    else if (part === '</span>') scopes.pop()
    else {
      const roles = scopes.at(-1) ?? []
      for (const [index, text] of (entity === undefined ? part : characters[entity]!).split('\n').entries()) {
        if (index > 0) lines.push([])
        if (text !== '') lines.at(-1)!.push({ text, roles })
      }
    }
  }
  return lines
}
