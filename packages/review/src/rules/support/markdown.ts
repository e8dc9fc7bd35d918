/** Marks with what they become: the words stay. None of them can look far, so a long text costs little. */
const marks: readonly (readonly [kind: string, pattern: RegExp, words: string])[] = [
  ['a code block', /^[ \t]{0,3}(?:```|~~~)[^\n]*$/m, ''],
  ['a heading', /^[ \t]{0,3}#{1,6}[ \t]+/m, ''],
  ['bold', /\*\*(?=[^\s*/])([^*\n]{1,300})\*\*/, '$1'],
  // Names of Python and JavaScript are written so as well.
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
const longestRead = 20_000
/** Without one of these there is no mark, and most texts have none. */
const anyMark = /[#*`[<~]|__/

export function hasHeading(text: string): boolean {
  return text.slice(0, longestRead).search(headings) >= 0
}

/** The first mark, with its name. */
export function findMarkdown(text: string): { readonly kind: string; readonly phrase: string } | undefined {
  const read = text.slice(0, longestRead)
  if (!anyMark.test(read)) return undefined
  for (const [kind, pattern] of marks) {
    const match = pattern.exec(read)
    if (match !== null) return { kind, phrase: match[0].trim() }
  }
  return undefined
}

/** A heading goes with its words where other text is left: joined with it, they would make no sentence. */
export function withoutMarkdown(text: string): string {
  const whole = text.slice(0, longestRead)
  if (!anyMark.test(whole)) return whole.trim()
  const body = whole.replace(headings, '')
  const read = body.trim() === '' ? whole : body
  return everyMark.reduce((rest, [pattern, words]) => rest.replace(pattern, words), read).trim()
}
