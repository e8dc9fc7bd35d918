import { appendFileSync, lutimesSync, readFileSync, symlinkSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import {
  answer,
  assertBalanced,
  calling,
  item,
  results,
  started,
  toLines,
  user,
} from '../../test/support/session-data.ts'
import {
  closeLater,
  newSession,
  options,
  problems,
  useStateFolder,
  writeSession,
} from '../../test/support/session-setup.ts'
import { readSession } from './read-session.ts'
import { restoreHistory } from './restore-history.ts'
import { type ResumedSession, resumeSession } from './resume-session.ts'

useStateFolder()

const id = '20261116-193012-k3f'

async function resume(wanted: string): Promise<ResumedSession> {
  const resumed = await resumeSession({ ...options(), id: wanted })
  closeLater(resumed.session)
  return resumed
}

describe('resuming', () => {
  test('continues in the same file, without a torn line', async () => {
    const records = [item(user(1, 'go')), item(answer(2, 'done'))]
    const path = writeSession(id, records, '{"type":"item","it')
    const { session, header, history, notice } = await resume(id)
    expect({ id: session.id, path: session.path, notice }).toEqual({ id, path, notice: null })
    expect(header.project).toBe('/project')
    expect(history.items.map((entry) => entry.id)).toEqual([1, 2])
    session.append(item(user(3, 'more')))
    session.append({ type: 'counts', continuations: 1, usage: {} })
    await session.close()
    const after = await readSession(path)
    expect(after.records).toEqual([
      ...records,
      item(user(3, 'more')),
      { type: 'counts', continuations: 1, usage: {}, turns: 2 },
    ])
  })

  test('records lost calls in the file', async () => {
    const path = writeSession(id, [item(user(1, 'go')), item(calling(2, 'a', 'b')), started('a', 'b')])
    const { session, history } = await resume(id)
    expect(history.lost.map(({ callId }) => callId)).toEqual(['a', 'b'])
    await session.close()
    const stored = restoreHistory((await readSession(path)).records)
    expect(stored.items).toEqual(history.items)
    expect(stored.lost).toEqual([])
  })

  test('changes nothing if nothing was lost', async () => {
    const path = writeSession(id, [item(calling(2, 'a')), item(results(3, 'a'))], '{"torn')
    const before = readFileSync(path)
    const { session } = await resume(id)
    await session.close()
    expect(readFileSync(path)).toEqual(before)
  })

  test('accepts the last part of an id', async () => {
    writeSession(id, [item(user(1, 'go'))])
    writeSession('20261117-000000-abc', [item(user(1, 'go'))])
    expect((await resume('k3f')).session.id).toBe(id)
    writeSession('20261117-000000-k3f', [item(user(1, 'go'))])
    await expect(resume('k3f')).rejects.toThrow(
      /session: "k3f" is the end of several ids: .*20261116-193012-k3f/,
    )
  })

  test.each(['20261116-193012-zzz', '../../etc/passwd', '', '-', `../x/${id}`])(
    'rejects %j',
    async (wanted) => {
      writeSession(id, [item(user(1, 'go'))])
      await expect(resume(wanted)).rejects.toThrow(
        `session: expected the id of a saved session, such as ${id}, got ${JSON.stringify(wanted)}`,
      )
    },
  )

  test('of an invalid file fails with file and line, and can be repeated', async () => {
    const path = writeSession(id, [{ type: 'model' }])
    for (let round = 0; round < 2; round++)
      await expect(resume(id)).rejects.toThrow(`${path}:2: model: expected a string, got undefined`)
  })

  test('reports a file that another program has changed', async () => {
    const path = writeSession(id, [item(user(1, 'go'))])
    const { session } = await resume(id)
    writeSession(id, [])
    session.append(item(user(2, 'more')))
    await session.flush()
    expect(problems).toEqual([
      `${path}: the session is not saved completely: another program has changed the file`,
    ])
  })
})

describe('a session in use', () => {
  test('is continued in a copy with a notice', async () => {
    const first = await newSession()
    first.append(item(user(1, 'go')))
    first.append({ type: 'model', model: 'other:2' })
    first.append({ type: 'loaded', tools: ['tool'] })
    first.append({ type: 'counts', continuations: 7, usage: { inputTokens: 5 } })
    first.append(item(calling(2, 'a')))
    first.append(started('a'))
    await first.written()
    const before = readFileSync(first.path, 'utf8')
    const { session, history, notice } = await resume(first.id)
    expect(session.id).not.toBe(first.id)
    expect(notice).toBe(
      `session ${first.id} is in use by another process, so this conversation continues in a copy: ${session.id}`,
    )
    // The call is still running there.
    expect(history.items.at(-1)).toMatchObject({
      results: [{ code: 'WORKER_LOST', content: 'lost: the session was copied while this call was running' }],
    })
    session.append(item(answer(4, 'in the copy')))
    await session.flush()
    expect(readFileSync(first.path, 'utf8')).toBe(before)
    const copy = await readSession(session.path)
    expect(copy.header).toMatchObject({ id: session.id, forkedFrom: first.id, model: 'other:2' })
    const restored = restoreHistory(copy.records)
    expect(restored.items).toEqual([...history.items, answer(4, 'in the copy')])
    expect(restored).toMatchObject({
      counts: { continuations: 7, usage: { inputTokens: 5 } },
      loaded: ['tool'],
      lost: [],
    })
  })

  test('can be resumed in place once it is closed', async () => {
    const first = await newSession()
    first.append(item(user(1, 'go')))
    await first.close()
    expect((await resume(first.id)).notice).toBeNull()
  })
})

test('a lock from another machine counts as held for 7 days', async () => {
  const path = writeSession(id, [item(user(1, 'go'))])
  symlinkSync('1-1-1@elsewhere@1-1', `${path}.lock`)
  const setAge = (days: number) =>
    lutimesSync(`${path}.lock`, new Date(), new Date(Date.now() - days * 86_400_000))
  setAge(6)
  expect((await resume(id)).notice).toContain('is in use by another process')
  setAge(8)
  expect((await resume(id)).notice).toBeNull()
})

test('a copy keeps the summary of a compacted conversation, and more items than the queue holds', async () => {
  const first = await newSession()
  first.append(item(user(1, 'old')))
  first.append(item(user(2, 'kept')))
  first.append(item(user(3, 'earlier', 'summary')))
  first.append({ type: 'removed', before: 2 })
  const total = 12_000
  for (let number = 4; number < total; number++) {
    first.append(item(user(number, 'more')))
    if (number % 1_000 === 0) await first.written()
  }
  await first.written()
  const { session, history } = await resume(first.id)
  assertBalanced(history.items)
  expect(history.items).toHaveLength(total - 2)
  const copy = restoreHistory((await readSession(session.path)).records)
  expect(copy.items).toEqual(history.items)
  expect(copy.items.slice(0, 3).map((entry) => entry.id)).toEqual([3, 2, 4])
  expect(problems).toEqual([])
})

test('a large file is continued in a new one without the removed items', async () => {
  const path = writeSession(id, [])
  const line = toLines(item(user(1, 'x'.repeat(7 << 20))))
  for (let count = 0; count < 6; count++) appendFileSync(path, line)
  appendFileSync(path, toLines(item(user(2, 'last')), { type: 'removed', before: 2 }))
  const { session, history, notice } = await resume(id)
  expect(notice).toBe(
    `the file of session ${id} is large, so this conversation continues in a new one: ${session.id}`,
  )
  expect(history.items).toEqual([user(2, 'last')])
  const { records, size } = await readSession(session.path)
  expect(restoreHistory(records).items).toEqual([user(2, 'last')])
  expect(size.bytes).toBeLessThan(1_000)
})
