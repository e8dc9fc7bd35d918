import { existsSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join } from 'node:path'
import { processIdentity } from '@curfew/core/internal'
import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { item, user } from '../../test/support/session-data.ts'
import { newSession, state, useStateFolder, writeSession } from '../../test/support/session-setup.ts'
import { removeOldSessions, removeSession } from './remove-sessions.ts'

useStateFolder()

const day = 86_400_000

/** The session number `count` was last used `count` days after 1970. */
function session(count: number): string {
  const path = writeSession(nameOf(count), [item(user(1, 'x'.repeat(1_000)))])
  utimesSync(path, (count * day) / 1_000, (count * day) / 1_000)
  return path
}

const nameOf = (count: number) => `20261116-${String(100_000 + count)}-k3f`
const names = (path: string) => readdirSync(dirname(path)).sort()

async function clockAt(days: number) {
  const clock = createFakeClock()
  await clock.advance(days * day)
  return clock
}

test('a session is removed by its id', async () => {
  const path = session(1)
  session(2)
  expect(await removeSession({ folder: state, id: nameOf(1) })).toBe(nameOf(1))
  expect(names(path)).toEqual([`${nameOf(2)}.jsonl`])
  await expect(removeSession({ folder: state, id: nameOf(1) })).rejects.toThrow('expected the id of a saved')
})

test('a session in use is kept', async () => {
  const open = await newSession()
  open.append(item(user(1, 'go')))
  await open.flush()
  await expect(removeSession({ folder: state, id: open.id })).rejects.toThrow(
    `session: ${open.id} is in use by another process`,
  )
  const clock = await clockAt(100_000)
  expect(await removeOldSessions({ folder: state, clock })).toEqual([])
  expect(existsSync(open.path)).toBe(true)
})

test('by default, sessions are kept for 30 days', async () => {
  const paths = [1, 2, 3].map(session)
  expect(await removeOldSessions({ folder: state, clock: await clockAt(32) })).toEqual([nameOf(1)])
  expect(names(paths[0]!)).toEqual([`${nameOf(2)}.jsonl`, `${nameOf(3)}.jsonl`])
})

test('beyond the number or the size, those that were not used for longest are removed', async () => {
  const clock = await clockAt(10)
  const paths = [4, 1, 3, 5, 2].map(session)
  expect(await removeOldSessions({ folder: state, clock, maxSessions: 4 })).toEqual([nameOf(1)])
  expect(await removeOldSessions({ folder: state, clock, maxBytes: 3_000 })).toEqual([nameOf(3), nameOf(2)])
  expect(names(paths[0]!)).toEqual([`${nameOf(4)}.jsonl`, `${nameOf(5)}.jsonl`])
})

test('symbolic links and other files are neither followed nor removed', async () => {
  const folder = dirname(session(1))
  writeFileSync(join(state, 'target'), '')
  symlinkSync(join(state, 'target'), join(folder, `${nameOf(2)}.jsonl`))
  writeFileSync(join(folder, 'notes.txt'), '')
  const clock = await clockAt(1_000)
  expect(await removeOldSessions({ folder: state, clock })).toEqual([nameOf(1)])
  expect(readdirSync(folder).sort()).toEqual([`${nameOf(2)}.jsonl`, 'notes.txt'])
  expect(existsSync(join(state, 'target'))).toBe(true)
})

test.runIf(process.platform === 'linux')('locks of processes that were killed are removed', async () => {
  const folder = dirname(session(1))
  const [pid, , namespace] = processIdentity.split('-')
  const host = hostname().replace(/[^A-Za-z0-9.-]/g, '_')
  symlinkSync(`${pid}-1-${namespace}@${host}@1-1`, join(folder, `${nameOf(2)}.jsonl.lock`))
  const open = await newSession()
  await removeOldSessions({ folder: state, clock: await clockAt(1) })
  expect(readdirSync(folder).sort()).toEqual([`${nameOf(1)}.jsonl`, `${open.id}.jsonl.lock`].sort())
})
