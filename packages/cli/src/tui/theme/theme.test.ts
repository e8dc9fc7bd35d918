import { describe, expect, it } from 'vitest'
import { luminance, type Rgb } from './luminance.ts'
import {
  type ColorCount,
  colorCount,
  createTheme,
  type Role,
  type Theme,
  type ThemeName,
  themeNames,
} from './theme.ts'

/** WCAG 2.2, level AA, for text. */
const minContrast = 4.5

const backgrounds = {
  // Black, VS Code, One Dark, Dracula, Solarized.
  dark: ['#000000', '#1e1e1e', '#282c34', '#282a36', '#002b36'],
  // White, One Light, Solarized.
  light: ['#ffffff', '#fafafa', '#fdf6e3'],
}

/** 30 to 37 and 90 to 97 of the Linux console and of xterm. */
const palettes = [
  '000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff',
  '000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff',
].map((colors) => colors.split(' '))

const roles = (theme: Theme): Role[] => Object.keys(theme).filter((key): key is Role => key !== 'name')

function fromHex(hex: string): Rgb {
  const [red, green, blue] = hex.match(/[0-9a-f]{2}/g)!.map((pair) => Number.parseInt(pair, 16) / 255)
  return [red!, green!, blue!]
}

/** The colours 16 to 255 of xterm: a cube and a scale of greys. */
function fromCode(code: number): Rgb {
  const grey = (8 + 10 * (code - 232)) / 255
  if (code >= 232) return [grey, grey, grey]
  const level = (step: number): number =>
    [0, 95, 135, 175, 215, 255][Math.floor((code - 16) / step) % 6]! / 255
  return [level(36), level(6), level(1)]
}

function contrast(one: Rgb, other: Rgb): number {
  const [lower, higher] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (higher! + 0.05) / (lower! + 0.05)
}

function colorsOf(theme: Theme, role: Role): Rgb[] {
  const shown = theme[role]('x')
  const code = Number(/\[38;5;(\d+)m/.exec(shown)?.[1] ?? 0)
  if (code > 0) return [fromCode(code)]
  const basic = Number(/\[([39][0-7])m/.exec(shown)?.[1] ?? 0)
  return basic === 0 ? [] : palettes.map((colors) => fromHex(colors[basic < 90 ? basic - 30 : basic - 82]!))
}

describe.each<[ThemeName & ('dark' | 'light'), ColorCount]>([
  ['dark', 256],
  ['light', 256],
  ['dark', 16],
  ['light', 16],
])('the theme %s with %s colours', (name, count) => {
  const theme = createTheme(name, count)
  // The person has chosen the palette of 16 colours to match their own background.
  const behind = backgrounds[name].slice(0, count === 16 ? 1 : undefined)

  it.each(roles(theme))('is readable: %s', (role) => {
    for (const color of colorsOf(theme, role))
      for (const background of behind)
        expect(contrast(color, fromHex(background)), background).toBeGreaterThanOrEqual(minContrast)
  })

  it('uses colours', () => {
    expect(roles(theme).filter((role) => colorsOf(theme, role).length > 0).length).toBeGreaterThan(10)
  })
})

it('knows the contrast of grey on white', () => {
  expect(contrast(fromHex('#767676'), fromHex('#ffffff'))).toBeCloseTo(4.54, 2)
})

it('none uses no colours, and plain nothing at all', () => {
  const none = createTheme('none')
  expect(roles(none).filter((role) => colorsOf(none, role).length > 0)).toEqual([])
  expect(none.selected('x')).toBe('\u001b[7mx\u001b[27m')
  const plain = createTheme('plain')
  expect(roles(plain).filter((role) => plain[role]('x') !== 'x')).toEqual([])
})

it('every style ends what it begins, and leaves empty text empty', () => {
  for (const name of themeNames) {
    const theme = createTheme(name)
    for (const role of roles(theme)) {
      expect(theme[role]('')).toBe('')
      const [on, off] = theme[role]('|').split('|')
      expect(off!.split('m').length).toBe(on!.split('m').length)
    }
  }
})

it.each([
  [1, 16],
  [4, 16],
  [8, 256],
  [24, 256],
])('a depth of %s bits shows %s colours', (depth, count) => {
  expect(colorCount(depth)).toBe(count)
})
