/** The colours of a terminal. */
export interface Palette {
  readonly background: string
  readonly text: string
  readonly border: string
  /** The buttons of the window. */
  readonly dots: readonly string[]
  /** Black, red, green, yellow, blue, magenta, cyan, white, and the bright ones. */
  readonly colors: readonly string[]
}

const dots = ['#ff5f57', '#febc2e', '#28c840']

export const palettes: Readonly<Record<'dark' | 'light', Palette>> = {
  dark: {
    background: '#15181e',
    text: '#d5dae3',
    border: '#31363f',
    dots,
    colors: [
      ...['#15181e', '#f2777a', '#7fd188', '#e8c06a', '#6ea8fe', '#d19ae8', '#5fc9d8', '#d5dae3'],
      ...['#7d8695', '#ff9a9c', '#a2e3a9', '#f5d68c', '#94c1ff', '#e2b8f2', '#8adfe9', '#ffffff'],
    ],
  },
  light: {
    background: '#ffffff',
    text: '#1f2329',
    border: '#d4d9e0',
    dots,
    colors: [
      ...['#1f2329', '#b3261e', '#1a7f37', '#8a5a00', '#0b5cad', '#8250a8', '#116b7a', '#d4d9e0'],
      ...['#6a7280', '#cf3b33', '#2a9249', '#a36c05', '#1f6fc4', '#9a66c0', '#1b8293', '#ffffff'],
    ],
  },
}

/** `null` for the default colour. */
export function paletteColor(color: number | string | null, palette: Palette): string | null {
  if (color === null || typeof color === 'string') return color
  return palette.colors[color] ?? extended(color)
}

/** A cube of 6 × 6 × 6 colours, then 24 shades of grey, as in xterm. */
function extended(color: number): string {
  const levels = [0, 95, 135, 175, 215, 255]
  const cube = color - 16
  const channels =
    color >= 232
      ? Array<number>(3).fill(8 + 10 * (color - 232))
      : [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((level) => levels[level]!)
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`
}
