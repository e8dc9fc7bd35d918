import { neutraliseUnusual } from './neutralise-unusual.ts'

const plain = /^[\n\t -~]*$/

/**
 * Makes text from elsewhere safe to show: removes control sequences, control characters, direction overrides and invisible
 * characters, limits combining marks, and replaces what is not Unicode text. Only line feeds and tabs are kept. Takes linear time.
 */
export function neutralise(text: string): string {
  return plain.test(text) ? text : neutraliseUnusual(text)
}
