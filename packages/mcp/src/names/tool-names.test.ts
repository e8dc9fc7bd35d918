import { expect, test } from 'vitest'
import { shorten, toolName, usableName } from './tool-names.ts'

test('a name contains the server and the tool', () => {
  expect(toolName('github', 'create_issue')).toBe('mcp__github__create_issue')
})

test('invalid characters are replaced, and different names stay different', () => {
  expect(usableName('a.b-c_1')).toBe('a.b-c_1')
  const [first, second] = [usableName('größe'), usableName('grüße')]
  expect(first).toMatch(/^gr__e_[0-9a-f]{8}$/)
  expect(first).not.toBe(second)
  expect(usableName('größe')).toBe(first)
})

test('a name that is too long is shortened, always to the same name', () => {
  const long = `mcp__server__${'x'.repeat(100)}`
  const short = shorten(long, 64)
  expect(short).toHaveLength(64)
  expect(short).toMatch(/^mcp__server__x+_[0-9a-f]{8}$/)
  expect(shorten(long, 64)).toBe(short)
  expect(shorten(`${long}y`, 64)).not.toBe(short)
  expect(shorten('short', 64)).toBe('short')
})

test('any name of a server becomes a valid tool name', () => {
  for (const name of ['', ' ', '\u0000', '../../x', 'a'.repeat(500), '😀'])
    expect(toolName('s', name)).toMatch(/^[A-Za-z0-9_.-]{1,128}$/)
})
