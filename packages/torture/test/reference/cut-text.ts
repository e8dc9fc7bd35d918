import { isMutant } from './mutation.ts'

const maxLength = 60_000

/** Keeps the beginning and the end, where errors are. */
export function cutText(text: string): string {
  if (isMutant('no-result-cap')) return text
  if (isMutant('counts-lines')) return cutLines(text)
  if (isMutant('cuts-each-line')) return text.replaceAll(/.{1000,}/g, (line) => line.slice(0, 1_000))
  if (isMutant('line-separators-end-lines')) return text.split(/[\u2028\u2029]/)[0]!
  if (text.length <= maxLength) return text
  const headEnd = toBoundary(text, maxLength / 2)
  const tailStart = toBoundary(text, text.length - maxLength / 2)
  const note = `[... ${tailStart - headEnd} characters omitted ...]`
  return `${text.slice(0, headEnd)}\n${note}\n${text.slice(tailStart)}`
}

/** Not between the halves of a character. */
function toBoundary(text: string, index: number): number {
  const isWithin = /[\udc00-\udfff]/.test(text[index]!) && /[\ud800-\udbff]/.test(text[index - 1]!)
  return isWithin && !isMutant('cuts-in-characters') ? index + 1 : index
}

function cutLines(text: string): string {
  const lines = text.split('\n')
  return lines.length <= 2_000 ? text : lines.slice(0, 2_000).join('\n')
}
