/**
 * Characters that a model reads but a person cannot see: control and format characters (zero-width, bidirectional,
 * tags), fillers, variation selectors, private use and lone surrogates. Line feeds and tabs are allowed, and so are
 * joiners and selectors within emoji.
 */
export const hiddenCharacterPattern: RegExp =
  /(?!\u200D|\uFE0F|[\n\r\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u115F\u1160\u3164\uFFA0]|\u034F|\u17B4|\u17B5|(?<!\p{ExtPict}\uFE0F?\p{EMod}?)\u200D|\u200D(?!\p{ExtPict})|(?<![\p{ExtPict}\d#*])\uFE0F/gu

/** Characters that change the display order of the text around them. */
export const bidiControlPattern: RegExp = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u

/** Most strings are plain ASCII, and this test is much faster than the others. */
const plainAscii = /^[\t\n\r -~]*$/

export function isPlainAscii(text: string): boolean {
  return plainAscii.test(text)
}

/** Complete terminal escape sequences: without its control character, `ESC [31m` would leave `[31m` behind. */
const escapeSequences =
  /(?:(?![\n\r\t])\p{Cc}\[|\u009b)[0-?]{0,40}[ -/]{0,10}[@-~]|(?![\n\r\t])\p{Cc}\][^\p{Cc}]{0,500}\p{Cc}\\?/gu

/** They separate words, like a line break. */
const lineSeparators = /[\v\f\u0085\u2028\u2029]/g

export function stripHidden(text: string): string {
  if (isPlainAscii(text)) return text
  return text.replace(escapeSequences, '').replace(lineSeparators, ' ').replace(hiddenCharacterPattern, '')
}
