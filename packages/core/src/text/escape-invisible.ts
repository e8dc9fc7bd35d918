/** Everything that is not drawn, or that changes how its neighbours are drawn. */
const invisible = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}/gu
const plain = /^[\n -~]*$/

/**
 * Shows control characters, direction marks, zero-width and other characters that a reader cannot see as `\u202e`: what a
 * person decides on must not look like something else. Line breaks stay.
 */
export function escapeInvisible(text: string): string {
  return plain.test(text) ? text : text.replace(invisible, escapeSequence)
}

function escapeSequence(character: string): string {
  const code = character.codePointAt(0)!.toString(16)
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`
}
