/**
 * The position behind the quote that ends a JSON string which begins at `start`; the end of the text if none does. Takes
 * time in proportion to the string, whatever it contains.
 */
export function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let backslashes = 0
    while (json[quote - 1 - backslashes] === '\\') backslashes++
    if (backslashes % 2 === 0) return quote + 1
  }
  return json.length
}
