/**
 * Characters that are not rendered, or that change how others are rendered. Unicode has no property for the last ones, whose
 * glyphs are empty: the object replacement, Tifinagh and Brahmi joiners, and blanks in Braille, hieroglyphs, Khitan and music.
 */
const invisible =
  /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}|[\ufffc\u2d7f\u{1107f}\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]/gu
const plain = /^[\n -~]*$/

/**
 * Escapes control characters, direction marks, zero-width and other invisible characters as `\u202e`, so that what a person
 * approves cannot look like something else. Line breaks are kept.
 */
export function escapeInvisible(text: string): string {
  return plain.test(text) ? text : text.replace(invisible, escapeSequence)
}

function escapeSequence(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}
