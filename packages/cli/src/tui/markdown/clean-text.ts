import { neutralise } from '../../terminal.ts'

const plain = /^[\t\n -~]*$/

/** Removes what could control the terminal. Line breaks are kept, including those that only Unicode knows. */
export function cleanText(text: string): string {
  return plain.test(text) ? text : neutralise(text).replace(/[\u2028\u2029]/g, '\n')
}
