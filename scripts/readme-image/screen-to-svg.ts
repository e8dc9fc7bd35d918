import { type Palette, paletteColor } from './palettes.ts'
import { type CellStyle, parseStyledScreen, type StyledRun } from './parse-styled-screen.ts'

export interface SvgOptions {
  readonly columns: number
  readonly palette: Palette
  /** The image begins with the line that contains it. By default, it has all lines. */
  readonly beginsWith?: string
  /** Read to people who do not see the image. */
  readonly title: string
}

const cellWidth = 8.4
const lineHeight = 19
const fontSize = 14
const padding = 18
const barHeight = 34

/** Draws a styled screen as a window. The result contains only shapes and text: no scripts, fonts or other files. */
export function screenToSvg(
  screen: string,
  { columns, palette, beginsWith = '', title }: SvgOptions,
): string {
  const lines = linesFrom(beginsWith, parseStyledScreen(screen))
  const width = Math.ceil(columns * cellWidth + 2 * padding)
  const height = barHeight + lines.length * lineHeight + padding
  const dots = palette.dots.map(
    (color, index) => `<circle cx="${padding + 5 + index * 18}" cy="17" r="5.5" fill="${color}"/>`,
  )
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escapeXml(title)}</title>`,
    `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9" fill="${palette.background}" stroke="${palette.border}"/>`,
    ...dots,
    `<g font-family="${fonts}" font-size="${fontSize}" fill="${palette.text}" xml:space="preserve">`,
    ...lines.flatMap((runs, row) => runs.flatMap((run) => drawRun(run, row, palette))),
    '</g>',
    '</svg>',
    '',
  ].join('\n')
}

const fonts = "ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace"

function linesFrom(text: string, lines: StyledRun[][]): StyledRun[][] {
  return lines.slice(
    lines.findIndex((runs) =>
      runs
        .map((run) => run.text)
        .join('')
        .includes(text),
    ),
  )
}

function drawRun(run: StyledRun, row: number, palette: Palette): string[] {
  const { text, column, style } = run
  const { fill, background } = colorsOf(style, palette)
  const top = barHeight + row * lineHeight
  const shapes: string[] = []
  const draw = (shape: string): void => void shapes.push(shape)
  const cells = [...text]
  if (background !== null) draw(rect(column, cells.length, top, background))
  for (const { value, start, length } of groups(cells)) {
    const at = column + start
    if (value === 'blank') continue
    if (value === 'full') draw(bar(at, length, top, fill, 1))
    else if (value === 'empty') draw(bar(at, length, top, fill, 0.25))
    else if (value === 'mark') {
      for (const [index, cell] of cells.slice(start, start + length).entries())
        draw(mark(marks[cell]!, at + index, top, fill))
    } else draw(textElement(cells.slice(start, start + length).join(''), at, top, style, fill, palette))
  }
  return shapes
}

function textElement(
  text: string,
  column: number,
  top: number,
  { bold, dim, italic, underline, strike }: CellStyle,
  fill: string,
  palette: Palette,
): string {
  const lines = [underline ? 'underline' : '', strike ? 'line-through' : ''].filter(Boolean).join(' ')
  const attributes = [
    `x="${number(padding + column * cellWidth)}"`,
    `y="${top + 14}"`,
    // Another font of the reader must not move what follows.
    `textLength="${number([...text].length * cellWidth)}"`,
    ...(fill === palette.text ? [] : [`fill="${fill}"`]),
    ...(bold ? ['font-weight="600"'] : []),
    ...(dim ? ['opacity=".6"'] : []),
    ...(italic ? ['font-style="italic"'] : []),
    ...(lines === '' ? [] : [`text-decoration="${lines}"`]),
  ]
  return `<text ${attributes.join(' ')}>${escapeXml(text)}</text>`
}

type Kind = 'text' | 'blank' | 'full' | 'empty' | 'mark'

/** Cells that are drawn in the same way. Blanks between words are part of the text. */
function groups(cells: readonly string[]): { value: Kind; start: number; length: number }[] {
  const found: { value: Kind; start: number; length: number }[] = []
  for (const [start, cell] of cells.entries()) {
    const value = kindOf(cell, cells[start - 1], cells[start + 1])
    const last = found.at(-1)
    if (last?.value === value) last.length++
    else found.push({ value, start, length: 1 })
  }
  return found
}

function kindOf(cell: string, before = ' ', after = ' '): Kind {
  // Fonts draw them with gaps.
  if (cell === '█') return 'full'
  if (cell === '░') return 'empty'
  if (cell in marks) return 'mark'
  return cell !== ' ' || (isText(before) && isText(after)) ? 'text' : 'blank'
}

function isText(cell: string): boolean {
  return cell !== ' ' && kindOf(cell) === 'text'
}

function colorsOf(style: CellStyle, palette: Palette): { fill: string; background: string | null } {
  const fill = paletteColor(style.color, palette) ?? palette.text
  const background = paletteColor(style.background, palette)
  return style.inverse ? { fill: background ?? palette.background, background: fill } : { fill, background }
}

function rect(column: number, length: number, top: number, fill: string): string {
  return `<rect x="${number(padding + column * cellWidth)}" y="${top}" width="${number(length * cellWidth)}" height="${lineHeight}" fill="${fill}"/>`
}

function bar(column: number, length: number, top: number, fill: string, opacity: number): string {
  const shape = `x="${number(padding + column * cellWidth)}" y="${top + 4}" width="${number(length * cellWidth)}" height="11"`
  return `<rect ${shape} fill="${fill}"${opacity === 1 ? '' : ` opacity="${opacity}"`}/>`
}

/** Characters that some fonts lack, as lines within a cell of 8 × 19. */
const marks: Readonly<Record<string, string>> = {
  '✓': 'M1 10.5l2 2.5 4-6',
  '❯': 'M2.5 6l3 3.5-3 3.5',
  '●': 'M4 9.5h.01',
  '⠹': 'M2 6h.01M5.5 6h.01M5.5 9.5h.01M5.5 13h.01',
  '↑': 'M4 14v-8.5M1.5 8l2.5-2.5 2.5 2.5',
  '↓': 'M4 5.5v8.5M1.5 11.5l2.5 2.5 2.5-2.5',
  '↳': 'M1.5 4v5.5h5M4.5 7l2 2.5-2 2.5',
}

function mark(path: string, column: number, top: number, color: string): string {
  const width = path === marks['●'] ? 6.5 : path === marks['⠹'] ? 2.2 : 1.5
  const at = `translate(${number(padding + column * cellWidth)} ${top})`
  return `<path transform="${at}" d="${path}" fill="none" stroke="${color}" stroke-width="${width}" stroke-linecap="round" stroke-linejoin="round"/>`
}

function number(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function escapeXml(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (character) => entities[character]!)
}
