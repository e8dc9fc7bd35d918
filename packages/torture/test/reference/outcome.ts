import { cutText } from './cut-text.ts'
import { isMutant } from './mutation.ts'

/** What the model reads of a call. */
export interface Outcome {
  readonly text: string
  readonly isError: boolean
}

export const success = (text: string): Outcome => ({ text: toReadable(text), isError: false })
export const failure = (message: string): Outcome => ({
  text: toReadable(`Error: ${message}`),
  isError: true,
})

/** Short enough, not empty, and without what providers reject. */
function toReadable(text: string): string {
  const cut = cutText(text)
  const whole = isMutant('passes-lone-surrogates', 'cuts-in-characters') ? cut : cut.toWellFormed()
  const clean = isMutant('passes-nul') ? whole : whole.replaceAll('\0', '\ufffd')
  const isBlank = isMutant('passes-empty-results') ? false : clean.trim() === ''
  return isBlank ? '(empty)' : clean
}
