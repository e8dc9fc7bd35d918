import { expect, test } from 'vitest'
import { ThemeChoice } from './theme-choice.ts'

test('the theme follows the person first, then the terminal', () => {
  const names: string[] = []
  const choice = new ThemeChoice({
    env: {},
    colorDepth: 8,
    setting: 'auto',
    onChange: (name) => names.push(name),
  })
  expect([choice.name, choice.setting, choice.colors]).toEqual(['dark', 'auto', 256])
  choice.setBackground('dark')
  expect(names).toEqual([])
  choice.setBackground('light')
  choice.choose('none')
  choice.setBackground('dark')
  choice.choose('auto')
  expect([names, choice.setting]).toEqual([['light', 'none', 'dark'], 'auto'])
})
