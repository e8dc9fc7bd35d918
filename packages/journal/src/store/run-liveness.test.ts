import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { processIdentity } from '@curfew/core/internal'
import { expect, test } from 'vitest'
import { hasRunEnded, maxSilenceMs, ownIdentity } from './run-liveness.ts'

const own = ownIdentity()
const now = 1_000_000_000
const ended = processIdentity.replace(/^\d+/, '4194305')

test('this process is alive, however long it was silent', () => {
  expect(hasRunEnded(own, 0, now)).toBe(false)
})

test('a process with the pid of another one has ended', () => {
  const [pid, startTime, namespace] = processIdentity.split('-')
  if (startTime === '0') return
  const earlier = [pid, Number(startTime) - 1, namespace].join('-')
  expect(hasRunEnded({ ...own, identity: earlier }, now, now)).toBe(true)
})

test('a process that does not exist has ended', () => {
  expect(hasRunEnded({ ...own, identity: ended }, now, now)).toBe(true)
})

test('a process before the last boot has ended, even if its pid and start time are in use', () => {
  const other = { ...own, boot: 'an earlier boot' }
  expect(hasRunEnded(other, now, now)).toBe(own.boot !== '')
})

test('the same boot under another host name is the same machine', () => {
  if (own.boot === '') return
  expect(hasRunEnded({ ...own, host: 'container', identity: ended }, now, now)).toBe(true)
})

test.each([
  ['on another machine', { identity: processIdentity, boot: 'its boot', host: `not-${hostname()}` }],
  ['in another container', { ...own, identity: `${process.pid}-1-1` }],
  ['without an identity', { ...own, identity: 'x'.repeat(100_000) }],
])('a process %s has ended if it is silent for long', (_, run) => {
  expect(hasRunEnded(run, now - maxSilenceMs, now)).toBe(false)
  expect(hasRunEnded(run, now - maxSilenceMs - 1, now)).toBe(true)
})

test('without a boot id, a process with this pid may be another one', () => {
  expect(hasRunEnded({ ...own, boot: '' }, 0, now)).toBe(false)
  expect(hasRunEnded({ ...own, boot: '', identity: ended }, now, now)).toBe(true)
  if (own.boot === '') return
  const parent = { ...own, boot: '', identity: identityOf(process.ppid) }
  expect(hasRunEnded(parent, now - maxSilenceMs, now)).toBe(false)
  expect(hasRunEnded(parent, now - maxSilenceMs - 1, now)).toBe(true)
})

/** Of a running process in the same container. */
function identityOf(pid: number): string {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)!
  return [pid, afterName.split(' ')[19], processIdentity.split('-')[2]].join('-')
}
