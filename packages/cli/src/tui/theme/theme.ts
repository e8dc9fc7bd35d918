/** Adds a style to a string that contains no control characters. */
export type Style = (text: string) => string

/** What a piece of text means. Components never name a colour. */
export type Role =
  | 'strong'
  | 'muted'
  | 'accent'
  | 'success'
  | 'warning'
  | 'danger'
  /** The person's own messages. */
  | 'person'
  /** The selected entry of a list. */
  | 'selected'
  | 'heading'
  | 'emphasis'
  | 'strike'
  | 'link'
  | 'code'
  | 'added'
  | 'removed'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'function'
  | 'type'

export type Theme = { readonly name: ThemeName } & { readonly [R in Role]: Style }

/** `none` uses bold, underline and inverse, but no colours; `plain` no control sequences at all. */
export type ThemeName = 'dark' | 'light' | 'none' | 'plain'

export const themeNames: readonly ThemeName[] = ['dark', 'light', 'none', 'plain']

/** How many colours the terminal can show. */
export type ColorCount = 16 | 256

/** From `stream.getColorDepth()`. 256 colours are enough, so true colour is not used. */
export function colorCount(colorDepth: number): ColorCount {
  return colorDepth >= 8 ? 256 : 16
}

export function createTheme(name: ThemeName, colors: ColorCount = 256): Theme {
  const styles = Object.entries(modifiers).map(([role, codes]) => [
    role,
    style(codesFor(role as Role, codes, name, colors)),
  ])
  return { name, ...(Object.fromEntries(styles) as { [R in Role]: Style }) }
}

type Codes = readonly [on: number | string, off: number]

const bold: Codes = [1, 22]
const dim: Codes = [2, 22]
const italic: Codes = [3, 23]
const underline: Codes = [4, 24]
const inverse: Codes = [7, 27]
const strike: Codes = [9, 29]

/** Without colours. */
const modifiers: { readonly [R in Role]: readonly Codes[] } = {
  strong: [bold],
  muted: [dim],
  accent: [bold],
  success: [],
  warning: [bold],
  danger: [bold],
  person: [bold],
  selected: [inverse],
  heading: [bold, underline],
  emphasis: [italic],
  strike: [strike],
  link: [underline],
  code: [bold],
  added: [],
  removed: [],
  keyword: [bold],
  string: [],
  number: [],
  comment: [dim],
  function: [],
  type: [],
}

/** In addition to a colour. */
const modifiersOfColored: { readonly [R in Role]?: Codes } = { heading: bold, link: underline }

/**
 * Of the 256 colours, those above 15 are the same in every terminal, and each is readable on common backgrounds: theme.test.ts. The first 16
 * are chosen by the person; on a light background only few of them are readable in all palettes. `null`: the terminal's own text colour.
 */
type Palette = readonly [dark: number, light: number, dark16: number, light16: number | null]

const palette: { readonly [R in Role]?: Palette } = {
  muted: [247, 242, 37, null],
  accent: [80, 24, 36, 34],
  success: [114, 22, 32, null],
  warning: [221, 94, 93, 35],
  danger: [203, 124, 91, 31],
  person: [117, 24, 96, 34],
  heading: [80, 24, 36, 34],
  link: [111, 25, 96, 34],
  code: [179, 94, 93, 35],
  added: [114, 22, 32, null],
  removed: [203, 124, 91, 31],
  keyword: [176, 90, 95, 35],
  string: [114, 22, 32, null],
  number: [215, 94, 93, 31],
  comment: [247, 242, 37, null],
  function: [111, 25, 96, 34],
  type: [80, 23, 36, null],
}

function codesFor(
  role: Role,
  plain: readonly Codes[],
  name: ThemeName,
  colors: ColorCount,
): readonly Codes[] {
  if (name === 'plain') return []
  const colored = palette[role]
  if (name === 'none' || colored === undefined) return plain
  const [dark, light, dark16, light16] = colored
  const isDark = name === 'dark'
  const code = colors === 256 ? `38;5;${isDark ? dark : light}` : isDark ? dark16 : light16
  const modifier = modifiersOfColored[role]
  return [...(modifier === undefined ? [] : [modifier]), ...(code === null ? [] : [[code, 39] as const])]
}

function style(codes: readonly Codes[]): Style {
  if (codes.length === 0) return (text) => text
  const on = codes.map(([code]) => `\u001b[${code}m`).join('')
  const off = codes.map(([, code]) => `\u001b[${code}m`).join('')
  return (text) => (text === '' ? '' : on + text + off)
}
