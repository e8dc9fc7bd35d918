import { expect, test } from 'vitest'
import { currentProcess, isGone } from './process-of-run.ts'

const here = currentProcess()
const now = 1_800_000_000_000
const recently = now - 60_000
const longAgo = now - 3_600_000
const [, startTime, namespace] = here.identity.split('-')
/** No process has this pid. */
const endedIdentity = `999999999-${startTime}-${namespace}`
const otherContainer = `1-${startTime}-1`

test.each([
  ['this process', {}, longAgo, false],
  ['an ended process', { identity: endedIdentity }, recently, true],
  ['a pid that is in use again', { identity: `${process.pid}-1-${namespace}` }, recently, true],
  ['before the last start of this machine', { boot: 'earlier' }, recently, true],
  ['another container, a minute ago', { identity: otherContainer, host: 'other' }, recently, false],
  ['another container, an hour ago', { identity: otherContainer, host: 'other' }, longAgo, true],
  ['another machine, a minute ago', { boot: 'other', host: 'other' }, recently, false],
  ['another machine, an hour ago', { boot: 'other', host: 'other' }, longAgo, true],
  ['another machine whose clock is ahead', { boot: 'other', host: 'other' }, now + 1e9, false],
  ['no boot id and no such process', { boot: '', identity: endedIdentity }, recently, true],
  ['no boot id and such a process, a minute ago', { boot: '' }, recently, false],
  ['no boot id and such a process, an hour ago', { boot: '' }, longAgo, true],
  ['not an identity, a minute ago', { identity: 'x' }, recently, false],
])('%s', (_name, changed, seenAt, gone) => {
  expect(isGone({ ...here, ...changed, seenAt }, now)).toBe(gone)
})
