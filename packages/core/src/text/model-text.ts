/** Replaces what providers reject or cannot store: halves of surrogate pairs, and NUL. The length stays the same. */
export function modelText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd')
}
