/**
 * What nobody sees and a model reads all the same: control and format characters (zero-width, bidirectional, tags), fillers,
 * variation selectors, private use and halves of surrogate pairs. Line feeds and tabs are plain text, and
 * within emoji joiners and selectors have their place.
 */
export const hiddenCharacters: RegExp =
  /(?!\u200D|\uFE0F|[\n\r\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Variation_Selector}\u115F\u1160\u3164\uFFA0]|\u034F|\u17B4|\u17B5|(?<!\p{ExtPict}\uFE0F?\p{EMod}?)\u200D|\u200D(?!\p{ExtPict})|(?<![\p{ExtPict}\d#*])\uFE0F/gu

/** Those that change the order in which a text is shown. */
export const bidiControls: RegExp = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/u

/** Most texts are plain, and this is found out much faster. */
const plainText = /^[\t\n\r -~]*$/

export function isPlain(text: string): boolean {
  return plainText.test(text)
}

/** What steers a terminal, whole: of `ESC [31m` the visible part would be left. */
const escapeSequences =
  /(?:(?![\n\r\t])\p{Cc}\[|\u009b)[0-?]{0,40}[ -/]{0,10}[@-~]|(?![\n\r\t])\p{Cc}\][^\p{Cc}]{0,500}\p{Cc}\\?/gu

export function withoutHidden(text: string): string {
  return isPlain(text) ? text : text.replace(escapeSequences, '').replace(hiddenCharacters, '')
}
