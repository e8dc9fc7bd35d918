import { isPlain } from '../../language/hidden-characters.ts'

/** A letter of any script but the Latin one. Common letters, such as the micro sign, belong to all. */
const foreignLetter = /(?=\p{L})[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u
/** Mathematical and full-width letters look like Latin ones and are not. */
const styledLetter =
  /[\u{1D400}-\u{1D7FF}\uFF21-\uFF3A\uFF41-\uFF5A\u{1F130}-\u{1F149}\u{1F150}-\u{1F169}\u24B6-\u24E9]/u
const strangeLetter = new RegExp(`${foreignLetter.source}|${styledLetter.source}`, 'u')
const longestWord = 100
const longestRead = 20_000
const word = /[\p{L}\p{M}\p{N}]+/gu
const latinLetter = /\p{Script=Latin}/u

/** Cyrillic, Greek, Armenian and Cherokee letters that look like Latin ones. */
const looksLike: Readonly<Record<string, string>> = {
  ...pairs('абвгдеёзийклмнорстухѕіјҫһԁԛԝӏьыɡ', 'aбвгдeёзийклмнopcтyxsijchdqwlьыg'),
  ...pairs('АВЕЗКМНОРСТУХЅІЈҺԌԚԜӀ', 'ABE3KMHOPCTYXSIJHGQWI'),
  ...pairs('αβγεικνορτυχωϲϳ', 'aByeiкvoptuxwcj'),
  ...pairs('ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹϏ', 'ABEZHIKMNOPTYXCK'),
  ...pairs('աոսցօքհյզ', 'wnugophjq'),
  ...pairs('ᎪᏴᏟᎠᎬᏀᎻᎫᏦᏞᎷᏢᏚᎢᏙᎳᏃ', 'ABCDEGHJKLMPSTVWZ'),
  к: 'k',
  т: 't',
  м: 'm',
  н: 'h',
  в: 'b',
  г: 'r',
  п: 'n',
  κ: 'k',
}

/** A word that is Latin for the eye but not for a machine: mixed from two scripts, or in styled letters. */
export function confusedWord(text: string): string | undefined {
  return strangeWords(text).find(isConfused)
}

/** A foreign letter that is in no confused word. */
export function firstForeignLetter(text: string): string | undefined {
  const found = strangeWords(text).find((one) => foreignLetter.test(one) && !isConfused(one))
  return found === undefined ? undefined : foreignLetter.exec(found)![0]
}

/** Words with any such letter, from the first one on. A long text is not read to its end. */
function strangeWords(text: string): string[] {
  if (isPlain(text)) return []
  const start = text.search(strangeLetter)
  if (start < 0) return []
  const window = text.slice(Math.max(0, start - longestWord), start + longestRead)
  return [...window.matchAll(word)].map(([found]) => found).filter((found) => strangeLetter.test(found))
}

function isConfused(found: string): boolean {
  return (
    styledLetter.test(found) ||
    (latinLetter.test(found) && foreignLetter.test(found) && foreignLettersLookLatin(found))
  )
}

/** `Tシャツ` has two scripts and confuses nobody. */
function foreignLettersLookLatin(found: string): boolean {
  for (const letter of found)
    if (foreignLetter.test(letter) && !Object.hasOwn(looksLike, letter)) return false
  return true
}

/** The text as it looks. */
export function asItLooks(text: string): string {
  return text
    .slice(0, longestRead)
    .replace(word, (found) =>
      isConfused(found) ? [...found.normalize('NFKC')].map(latinOf).join('') : found,
    )
}

const scripts = [
  'Han',
  'Hiragana',
  'Katakana',
  'Hangul',
  'Cyrillic',
  'Greek',
  'Arabic',
  'Hebrew',
  'Devanagari',
  'Thai',
  'Bengali',
  'Tamil',
  'Georgian',
  'Armenian',
].map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const)

export function scriptOf(letter: string): string {
  return scripts.find(([, pattern]) => pattern.test(letter))?.[0] ?? 'non-Latin'
}

function latinOf(letter: string): string {
  return Object.hasOwn(looksLike, letter) ? looksLike[letter]! : letter
}

function pairs(from: string, to: string): Record<string, string> {
  const targets = [...to]
  const found: Record<string, string> = {}
  for (const [index, letter] of [...from].entries()) {
    const target = targets[index]!
    if (/^[A-Za-z\d]$/.test(target)) found[letter] = target
  }
  return found
}
