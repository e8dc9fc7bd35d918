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

type Codes = readonly [on: number | string, off: number]

const bold: Codes = [1, 22]
const dim: Codes = [2, 22]
const italic: Codes = [3, 23]
const underline: Codes = [4, 24]
const inverse: Codes = [7, 27]
const strike: Codes = [9, 29]
const color = (code: number | string): Codes => [code, 39]

const withoutColors: { readonly [R in Role]: readonly Codes[] } = {
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

// The 16 colours of the terminal's own palette where they are readable on both backgrounds.
const dark: Partial<Record<Role, readonly Codes[]>> = {
  muted: [color(90)],
  accent: [color(36)],
  success: [color(32)],
  warning: [color(33)],
  danger: [color(31)],
  person: [color(96)],
  heading: [bold, color(36)],
  link: [underline, color(94)],
  code: [color(33)],
  added: [color(32)],
  removed: [color(31)],
  keyword: [color(35)],
  string: [color(32)],
  number: [color(33)],
  comment: [color(90)],
  function: [color(94)],
  type: [color(36)],
}

const light: Partial<Record<Role, readonly Codes[]>> = {
  ...dark,
  muted: [color('38;5;242')],
  accent: [color('38;5;24')],
  success: [color('38;5;28')],
  warning: [color('38;5;130')],
  danger: [color('38;5;124')],
  person: [color('38;5;24')],
  heading: [bold, color('38;5;24')],
  link: [underline, color('38;5;25')],
  code: [color('38;5;94')],
  added: [color('38;5;28')],
  removed: [color('38;5;124')],
  keyword: [color('38;5;90')],
  string: [color('38;5;28')],
  number: [color('38;5;130')],
  comment: [color('38;5;242')],
  function: [color('38;5;25')],
  type: [color('38;5;30')],
}

const colors: Record<ThemeName, Partial<Record<Role, readonly Codes[]>>> = {
  dark,
  light,
  none: {},
  plain: {},
}

export function createTheme(name: ThemeName): Theme {
  const styles = Object.entries(withoutColors).map(([role, codes]) => {
    const used = name === 'plain' ? [] : (colors[name][role as Role] ?? codes)
    return [role, style(used)]
  })
  return { name, ...(Object.fromEntries(styles) as { [R in Role]: Style }) }
}

function style(codes: readonly Codes[]): Style {
  if (codes.length === 0) return (text) => text
  const on = codes.map(([code]) => `\u001b[${code}m`).join('')
  const off = codes.map(([, code]) => `\u001b[${code}m`).join('')
  return (text) => (text === '' ? '' : on + text + off)
}
