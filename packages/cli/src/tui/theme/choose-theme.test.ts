import { expect, test } from 'vitest'
import { chooseTheme, type ThemeConditions } from './choose-theme.ts'

const conditions: ThemeConditions = { env: {}, setting: 'auto', background: null, colorDepth: 8 }

test.each<[string, Partial<ThemeConditions>, string]>([
  ['without any hint', {}, 'dark'],
  ['a light terminal', { background: 'light' }, 'light'],
  ['a dark terminal', { background: 'dark' }, 'dark'],
  ['COLORFGBG with a light background', { env: { COLORFGBG: '0;15' } }, 'light'],
  ['COLORFGBG with a grey background', { env: { COLORFGBG: '0;default;7' } }, 'light'],
  ['COLORFGBG with a dark background', { env: { COLORFGBG: '15;8' } }, 'dark'],
  ['COLORFGBG without a number', { env: { COLORFGBG: '15;default' } }, 'dark'],
  ['COLORFGBG with nonsense', { env: { COLORFGBG: 'x;99' } }, 'dark'],
  ['the answer overrides COLORFGBG', { env: { COLORFGBG: '0;15' }, background: 'dark' }, 'dark'],
  ['a setting', { setting: 'light', background: 'dark' }, 'light'],
  ['NO_COLOR', { env: { NO_COLOR: '1' }, background: 'light' }, 'none'],
  ['an empty NO_COLOR', { env: { NO_COLOR: '' }, background: 'light' }, 'light'],
  ['a setting despite NO_COLOR', { env: { NO_COLOR: '1' }, setting: 'dark' }, 'dark'],
  ['FORCE_COLOR despite NO_COLOR', { env: { NO_COLOR: '1', FORCE_COLOR: '1' }, colorDepth: 4 }, 'dark'],
  ['FORCE_COLOR=0', { env: { FORCE_COLOR: '0' }, colorDepth: 1 }, 'none'],
  ['a terminal without colours', { colorDepth: 1, background: 'light' }, 'none'],
  ['TERM=dumb', { env: { TERM: 'dumb' }, setting: 'dark' }, 'plain'],
])('%s', (_, some, theme) => {
  expect(chooseTheme({ ...conditions, ...some })).toBe(theme)
})
