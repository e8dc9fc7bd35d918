/** Shows the text of several sources that arrives in pieces, line by line with the name of its source. */
export function linePrefix(name: string, show: (text: string) => void): (text: string) => void {
  let line = ''
  return (text) => {
    const lines = (line + text).split('\n')
    line = lines.pop()!
    if (line.length > maxLineLength) {
      lines.push(line)
      line = ''
    }
    const shown = lines.filter((one) => one.trim() !== '').map((one) => `[${name}] ${one}\n`)
    if (shown.length > 0) show(shown.join(''))
  }
}

const maxLineLength = 2_000
