import { expect, test } from 'vitest'
import { addNotice, contentWithoutNotices, withNotices } from './notices.ts'

test('a notice is a separate paragraph, and the content is available without it', () => {
  const body = JSON.stringify({ text: '[curfew] not a notice\n' })
  const before = { content: withNotices(body, ['first']), notices: ['first'] }
  const result = addNotice(before, 'second')
  expect(result.content).toBe(`${body}\n\n[curfew] first\n\n[curfew] second`)
  expect(result.notices).toEqual(['first', 'second'])
  expect(contentWithoutNotices(result)).toBe(body)
})
