import { expect, test } from 'vitest'
import { widthOf } from '../../terminal.ts'
import { createTheme } from '../theme/theme.ts'
import { menuLines } from './menu-view.tsx'

const layout = { width: 40, theme: createTheme('plain') }

test('each entry is one line that fits, whatever it contains', () => {
  const texts = ['字'.repeat(60), 'a\nb\u001b[2J\u202ec', '👩‍👩‍👧'.repeat(30), 'x'.repeat(500), '']
  const entries = texts.map((text) => ({ label: text, description: text, run: () => {} }))
  const menu = { title: texts.join(' '), entries, selected: 1, isInterrupt: false }
  const lines = menuLines(menu, layout, 20)
  expect(lines).toHaveLength(7)
  for (const line of lines) {
    expect(widthOf(line)).toBeLessThanOrEqual(40)
    expect([...'\n\u001b\u202e'].some((control) => line.includes(control))).toBe(false)
  }
})

test('a menu with very many entries shows those around the selected one', () => {
  const entries = Array.from({ length: 500_000 }, (_, index) => ({ label: `entry ${index}`, run: () => {} }))
  const lines = menuLines({ title: 'Which?', entries, selected: 400_000, isInterrupt: false }, layout, 10)
  expect(lines).toHaveLength(10)
  expect(lines.join('\n')).toContain('❯ entry 400000')
})
