/** Characters of one line that look the same. */
export interface StyledRun {
  readonly text: string
  readonly column: number
  readonly style: CellStyle
}

export interface CellStyle {
  /** `null`: the default. A number from 0 to 255 is a colour of the palette, a string is `#rrggbb`. */
  readonly color: number | string | null
  readonly background: number | string | null
  readonly bold: boolean
  readonly dim: boolean
  readonly italic: boolean
  readonly underline: boolean
  readonly strike: boolean
  readonly inverse: boolean
}

export const plainStyle: CellStyle = {
  color: null,
  background: null,
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
}

/** Splits what `tmux capture-pane -e -p` prints into runs, line by line. A style lasts until it is changed, also in the next lines. */
export function parseStyledScreen(screen: string): StyledRun[][] {
  let style = plainStyle
  return screen.split('\n').map((line) => {
    const runs: StyledRun[] = []
    let column = 0
    // Every second part is the parameters of a sequence.
    for (const [index, part] of line.split(selectGraphics).entries()) {
      if (index % 2 === 1) style = applyParameters(style, part.split(';').map(Number))
      else if (part !== '') {
        const text = part.replace(controlCharacters, '')
        runs.push({ text, column, style })
        column += [...text].length
      }
    }
    return runs
  })
}

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control sequences
const selectGraphics = /\x1b\[([\d;]*)m/
const controlCharacters = /\x1b[()][A-Z0-9]|[\x00-\x1f\x7f-\x9f]/g
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: control sequences

const switches: Readonly<Record<number, Partial<CellStyle>>> = {
  0: plainStyle,
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { color: null },
  49: { background: null },
}

function applyParameters(before: CellStyle, parameters: readonly number[]): CellStyle {
  let style = before
  for (let index = 0; index < parameters.length; index++) {
    const code = parameters[index]!
    if (code === 38 || code === 48) {
      const [color, length] = extendedColor(parameters.slice(index + 1))
      index += length
      style = { ...style, [code === 38 ? 'color' : 'background']: color }
    } else if (switches[code] !== undefined) style = { ...style, ...switches[code] }
    else if (inRange(code, 30)) style = { ...style, color: code - 30 }
    else if (inRange(code, 40)) style = { ...style, background: code - 40 }
    else if (inRange(code, 90)) style = { ...style, color: code - 90 + 8 }
    else if (inRange(code, 100)) style = { ...style, background: code - 100 + 8 }
  }
  return style
}

function inRange(code: number, first: number): boolean {
  return code >= first && code < first + 8
}

/** `5;n` or `2;r;g;b`, with the number of parameters that it takes. */
function extendedColor([kind, ...values]: readonly number[]): [CellStyle['color'], length: number] {
  if (kind === 5) return [values[0] ?? null, 2]
  const hex = values.slice(0, 3).map((value) => value.toString(16).padStart(2, '0'))
  return [`#${hex.join('')}`, 4]
}
