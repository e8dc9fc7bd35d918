import {
  appendFileSync,
  chownSync,
  mkdirSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { answer, header, item, model, toLines, user } from '../../test/support/session-data.ts'
import { newSession, state, useStateFolder, writeSession } from '../../test/support/session-setup.ts'
import { listSessions } from './list-sessions.ts'

useStateFolder()

const isRoot = process.getuid?.() === 0
const number = (count: number) => `20261116-${String(100_000 + count)}-k3f`

test('lists sessions with what a person needs to choose, last used first', async () => {
  const records = [
    item(user(1, 'Fix the\n  build\u202e, please')),
    item(answer(2, 'done')),
    item(user(3, 'Now the tests')),
  ]
  const older = writeSession(number(2), records)
  const newer = writeSession(number(1), [item(user(1, 'Hello'))])
  utimesSync(older, 1_000, 1_000)
  utimesSync(newer, 2_000, 2_000)
  const sessions = await listSessions({ folder: state, project: '/project' })
  expect(sessions).toEqual([
    {
      id: number(1),
      path: newer,
      project: '/project',
      model,
      createdAt: header.createdAt,
      updatedAt: 2_000_000,
      turns: 1,
      prompt: 'Hello',
      bytes: expect.any(Number),
    },
    expect.objectContaining({ id: number(2), turns: 2, prompt: 'Fix the build\\u202e, please' }),
  ])
  expect(sessions[1]!.bytes).toBe(Buffer.byteLength(toLines({ ...header, id: number(2) }, ...records)))
})

test('lists the sessions of one project or of all projects', async () => {
  for (const project of ['/a', '/a', '/b']) {
    const session = await newSession({ project })
    session.append(item(user(1, `in ${project}`)))
    await session.close()
  }
  const projects = async (project?: string) =>
    (await listSessions(project === undefined ? { folder: state } : { folder: state, project })).map(
      (session) => session.project,
    )
  expect((await projects()).sort()).toEqual(['/a', '/a', '/b'])
  expect(await projects('/b')).toEqual(['/b'])
  expect(await projects('/c')).toEqual([])
})

test('without sessions, the list is empty', async () => {
  expect(await listSessions({ folder: join(state, 'missing') })).toEqual([])
})

test('a long session has its number of turns from its end and its prompt from the beginning', async () => {
  const session = await newSession()
  const prompt = `${'Explain "this" \\ '.repeat(10)}${'🙂 naïve '.repeat(5_000)}`
  session.append(item(user(1, prompt)))
  for (let id = 2; id < 12; id++) session.append(item(user(id, 'x'.repeat(10_000))))
  await session.flush()
  const [before] = await listSessions({ folder: state })
  expect(before).toMatchObject({ turns: null })
  session.append({ type: 'counts', continuations: 0, usage: {} })
  await session.flush()
  const [after] = await listSessions({ folder: state })
  expect(after).toMatchObject({ turns: 11 })
  expect(after!.prompt).toMatch(/^Explain "this" \\ Explain "this" \\ .*…$/)
  expect(after!.prompt.length).toBeLessThanOrEqual(200)
  expect(after!.prompt).not.toContain('\n')
})

test('files that are no sessions are left out', async () => {
  const path = writeSession(number(1), [item(user(1, 'Hello'))])
  const folder = dirname(path)
  writeFileSync(join(folder, 'notes.jsonl'), toLines(header))
  writeFileSync(join(folder, `${number(2)}.jsonl`), 'not a session\n')
  writeFileSync(join(folder, `${number(3)}.jsonl`), '')
  symlinkSync(path, join(folder, `${number(4)}.jsonl`))
  mkdirSync(join(folder, `${number(5)}.jsonl`))
  symlinkSync(folder, join(state, 'sessions', 'link'))
  writeFileSync(join(state, 'sessions', 'file'), '')
  expect((await listSessions({ folder: state })).map(({ id }) => id)).toEqual([number(1)])
})

test.runIf(isRoot)("other users' files and folders are left out", async () => {
  const path = writeSession(number(1), [item(user(1, 'Hello'))])
  chownSync(path, 12_345, 12_345)
  expect(await listSessions({ folder: state })).toEqual([])
  chownSync(path, 0, 0)
  chownSync(dirname(path), 12_345, 12_345)
  expect(await listSessions({ folder: state })).toEqual([])
})

test('1,000 long sessions are listed without reading them completely', async () => {
  const end = toLines({ type: 'counts', continuations: 0, usage: {}, turns: 1 })
  for (let count = 0; count < 1_000; count++) {
    const path = writeSession(number(count), [item(user(1, 'Hello'))])
    // Sparse, so that only reading it takes time.
    truncateSync(path, 100 << 20)
    appendFileSync(path, `\n${end}`)
  }
  const start = performance.now()
  const sessions = await listSessions({ folder: state })
  // Takes about 0.2 s on an idle machine; reading 100 GB takes longer anywhere.
  expect(performance.now() - start).toBeLessThan(10_000)
  expect(sessions).toHaveLength(1_000)
  expect(sessions.every(({ turns, prompt }) => turns === 1 && prompt === 'Hello')).toBe(true)
})
