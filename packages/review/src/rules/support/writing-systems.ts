import { words } from '@curfew/core/internal'
import { isPlainAscii } from '../../language/strip-hidden.ts'

/** A letter of any script but Latin. Letters that scripts share, such as the micro sign, do not count. */
const nonLatinLetter = /(?=\p{L})[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u
/** Mathematical and full-width letters look like Latin letters but are not. */
const styledLetter =
  /[\u{1D400}-\u{1D7FF}\uFF21-\uFF3A\uFF41-\uFF5A\u{1F130}-\u{1F149}\u{1F150}-\u{1F169}\u24B6-\u24E9]/u
const suspectLetter = new RegExp(`${nonLatinLetter.source}|${styledLetter.source}`, 'u')
const maxWordLength = 100
const maxReadLength = 20_000
const wordPattern = /[\p{L}\p{M}\p{N}]+/gu
const latinLetter = /\p{Script=Latin}/u

/** Cyrillic, Greek, Armenian and Cherokee letters that look like Latin letters. */
const latinLookalikes: Readonly<Record<string, string>> = {
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

/** A word that only looks Latin: mixed from two scripts, or in styled letters. */
export function confusableWord(text: string): string | undefined {
  return suspectWords(text).find(isConfusable)
}

/** The first non-Latin letter outside of a confusable word. */
export function firstNonLatinLetter(text: string): string | undefined {
  const found = suspectWords(text).find((one) => nonLatinLetter.test(one) && !isConfusable(one))
  return found === undefined ? undefined : nonLatinLetter.exec(found)![0]
}

/** Words with such letters, from the first one on; bounded for long strings. */
function suspectWords(text: string): string[] {
  if (isPlainAscii(text)) return []
  const start = text.search(suspectLetter)
  if (start < 0) return []
  const window = text.slice(Math.max(0, start - maxWordLength), start + maxReadLength)
  return [...window.matchAll(wordPattern)]
    .map(([found]) => found)
    .filter((found) => suspectLetter.test(found))
}

function isConfusable(found: string): boolean {
  return (
    styledLetter.test(found) || (latinLetter.test(found) && nonLatinLetter.test(found) && looksLatin(found))
  )
}

/** Whether every non-Latin letter has a Latin lookalike; `Tシャツ` mixes two scripts but cannot be confused. */
function looksLatin(found: string): boolean {
  for (const letter of found)
    if (nonLatinLetter.test(letter) && !Object.hasOwn(latinLookalikes, letter)) return false
  return true
}

/** Replaces confusable letters with the Latin ones they look like. */
export function toLatinLookalikes(text: string): string {
  return text
    .slice(0, maxReadLength)
    .replace(wordPattern, (found) =>
      isConfusable(found) ? [...found.normalize('NFKC')].map(latinOf).join('') : found,
    )
}

const scripts = words(`
  Han Hiragana Katakana Hangul Cyrillic Greek Arabic Hebrew Devanagari Thai Bengali Tamil Georgian
  Armenian
`).map((name) => [name, new RegExp(`\\p{Script=${name}}`, 'u')] as const)

export function scriptOf(letter: string): string {
  return scripts.find(([, pattern]) => pattern.test(letter))?.[0] ?? 'non-Latin'
}

function latinOf(letter: string): string {
  return Object.hasOwn(latinLookalikes, letter) ? latinLookalikes[letter]! : letter
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
