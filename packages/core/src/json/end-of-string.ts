/**
 * The position after the closing quote of a JSON string that begins at `start`; the end of the input if there is none. Takes
 * linear time for any content.
 */
export function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (json[quote - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return quote + 1
  }
  return json.length
}
