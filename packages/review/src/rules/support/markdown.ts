/** Markup with its replacement, which keeps the words. Every pattern is bounded, so long strings are cheap. */
const marks: readonly (readonly [kind: string, pattern: RegExp, words: string])[] = [
  ['a code block', /^[ \t]{0,3}(?:```|~~~)[^\n]*$/m, ''],
  ['a heading', /^[ \t]{0,3}#{1,6}[ \t]+/m, ''],
  ['bold', /\*\*(?=[^\s*/])([^*\n]{1,300})\*\*/, '$1'],
  // Python and JavaScript names such as `__init__` are not bold.
  [
    'bold',
    /(?<!\w)__(?!(?:init|main|name|file|proto|typename|dict|class|doc|call|new|str|repr|dirname|filename|pycache|schema|type)__)(?=[^\s_])([^_\n]{1,300})__(?!\w)/,
    '$1',
  ],
  ['italics', /(?<![^\s("'])\*(?=[A-Za-z])([^*\n]{1,300})\*(?![\w*/.])/, '$1'],
  ['code', /`([^`\n]{1,300})`/, '$1'],
  ['a link', /\[([^\][\n]{1,200})\]\([^()\s]{1,500}\)/, '$1'],
  [
    'markup',
    /<\/?(?:b|i|em|strong|code|pre|br|p|ul|ol|li|h[1-6]|table|tr|td|th|important|examples?|note|instructions?|system)[ \t]?\/?>/i,
    '',
  ],
]
const everyMark = marks.map(
  ([, pattern, words]) => [new RegExp(pattern.source, `${pattern.flags}g`), words] as const,
)
const headings = /^[ \t]{0,3}#{1,6}[ \t]+[^\n]*$/gm
const maxReadLength = 20_000
/** Most descriptions contain none of these and are skipped quickly. */
const anyMark = /[#*`[<~]|__/

export function hasHeading(text: string): boolean {
  return text.slice(0, maxReadLength).search(headings) >= 0
}

/** The first markup found, with its kind. */
export function findMarkdown(text: string): { readonly kind: string; readonly phrase: string } | undefined {
  const start = text.slice(0, maxReadLength)
  if (!anyMark.test(start)) return undefined
  for (const [kind, pattern] of marks) {
    const match = pattern.exec(start)
    if (match !== null) return { kind, phrase: match[0].trim() }
  }
  return undefined
}

/** Headings are removed with their words if other text is left, as the two would not form a sentence. */
export function stripMarkdown(text: string): string {
  const start = text.slice(0, maxReadLength)
  if (!anyMark.test(start)) return start.trim()
  const body = start.replace(headings, '')
  const source = body.trim() === '' ? start : body
  return everyMark.reduce((rest, [pattern, words]) => rest.replace(pattern, words), source).trim()
}
