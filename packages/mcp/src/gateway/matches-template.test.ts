import { expect, test } from 'vitest'
import { matchesTemplate } from './matches-template.ts'

test.each([
  ['test://static/{id}/data', 'test://static/1/data', true],
  ['test://static/{id}/data', 'test://static/1/2/data', false],
  ['test://static/{id}/data', 'test://static//data', false],
  ['file:///{+path}', 'file:///a/b/c', true],
  ['db://{table}', 'db://users/5', false],
  ['db://{table}/{row}', 'db://users/5', true],
  ['db://{table}{/row}', 'db://users/5', true],
  ['a:{name}{.format}', 'a:x.tar.gz', true],
  ['a:{x}-{y}', 'a:1-2-3', true],
  ['a:{list*}', 'a:1,2,3', true],
  ['a:{one}', 'a:1,2', false],
  ['a:search{?q,lang}', 'a:search?q=x&lang=en', true],
  ['a:search{?q}', 'a:search?z=x', false],
  ['a:b', 'a:b', true],
  ['a:b', 'a:bc', false],
  ['{', '{', true],
  ['', 'a:b', false],
])('%s matches %s: %s', (template, uri, expected) => {
  expect(matchesTemplate(template, uri)).toBe(expected)
})

test('hostile templates do not slow it down', () => {
  const uri = `abc:${'x'.repeat(8_000)}`
  const start = performance.now()
  expect(matchesTemplate(`${'{a}'.repeat(60)}!`, uri)).toBe(false)
  expect(matchesTemplate(`${'{a}x'.repeat(30)}!`, uri)).toBe(false)
  expect(matchesTemplate('{+a}'.repeat(10_000), uri)).toBe(false)
  expect(performance.now() - start).toBeLessThan(10_000)
})
