import { expect, test } from 'vitest'
import { type CurrentContent, rejectUnseen } from './current-content.ts'
import type { Fingerprint } from './file-states.ts'

const location = {
  realPath: '/project/a',
  shownPath: 'a',
  area: 'inside',
  problem: null,
  secret: null,
  protected: null,
} as const

const fingerprint = (hash: string): Fingerprint => ({ dev: 1n, ino: 1n, size: 1n, mtimeNs: 1n, hash })

const current = (hash: string): CurrentContent => ({
  content: Buffer.from(hash),
  fingerprint: fingerprint(hash),
  mode: 0o644,
  uid: 0,
  gid: 0,
  links: 1,
})

test.each([
  [current('two'), fingerprint('one'), 'a has changed since the diff of this call was shown'],
  [current('one'), null, 'a was created since the diff of this call was shown'],
  [null, fingerprint('one'), 'a was removed since the diff of this call was shown'],
])('a file that a person did not see like this is rejected', (found, previewed, message) => {
  expect(() => rejectUnseen(found, previewed, location)).toThrow(message)
})

test.each([
  [current('one'), fingerprint('one')],
  [null, null],
  [current('one'), undefined],
])('a file that a person saw, or that was not shown at all, is not rejected', (found, previewed) => {
  expect(() => rejectUnseen(found, previewed, location)).not.toThrow()
})
