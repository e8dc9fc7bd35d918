import { restoreHistory, type SessionRecord } from '@curfew/agent'
import { defineTool } from '@curfew/core'
import { expect, test } from 'vitest'
import { setUp } from './support/agent-setup.ts'

/** The results that a crash at this moment would leave, by call. */
const crashed = (records: readonly SessionRecord[]) =>
  restoreHistory(records)
    .items.flatMap((item) => (item.type === 'results' ? item.results : []))
    .map(({ name, code, content }) => ({ name, code, content }))

test('a call that waits for an earlier one is recorded when it starts, and before its tool runs', async () => {
  const records: SessionRecord[] = []
  const seen: ReturnType<typeof crashed>[] = []
  let isWritten = true
  const { runtime, send } = setUp(
    (request) => (request === 0 ? { calls: [{ name: 'first' }, { name: 'second' }] } : { text: 'Done.' }),
    {
      session: {
        append: (record) => {
          isWritten = false
          records.push(record)
        },
        written: async () => {
          isWritten = true
        },
        flush: async () => {},
      },
    },
  )
  for (const name of ['first', 'second'])
    runtime.register(
      defineTool({
        name,
        description: 'Note what is recorded.',
        execute: () => {
          expect(isWritten).toBe(true)
          seen.push(crashed(records))
        },
      }),
    )
  await send('Go.')
  const running = 'lost: the process ended while this call was running'
  expect(seen).toEqual([
    [
      { name: 'first', code: 'WORKER_LOST', content: running },
      {
        name: 'second',
        code: 'CANCELLED',
        content: 'not run: the process ended before this call started',
      },
    ],
    [
      { name: 'first', code: 'WORKER_LOST', content: running },
      { name: 'second', code: 'WORKER_LOST', content: running },
    ],
  ])
})

test('everything is written before the model gets a request', async () => {
  let unwritten: string[] = []
  const { send } = setUp(
    (request) => {
      expect(unwritten).toEqual([])
      return request === 0 ? { calls: [{ name: 'missing' }] } : { text: 'Done.' }
    },
    {
      session: {
        append: ({ type }) => void unwritten.push(type),
        written: async () => {
          unwritten = []
        },
        flush: async () => {},
      },
    },
  )
  expect((await send('Go.')).at(-1)).toMatchObject({ reason: 'answer' })
})

test('calls of others on the same runtime, and calls inside calls, are not recorded as those of the model', async () => {
  const records: SessionRecord[] = []
  const { runtime, send } = setUp(
    (request) => (request === 0 ? { calls: [{ name: 'outer' }] } : { text: 'Done.' }),
    {
      session: {
        append: (record) => void records.push(record),
        written: async () => {},
        flush: async () => {},
      },
    },
  )
  runtime.register(
    defineTool({ name: 'inner', description: 'Do nothing.', execute: () => 'done' }),
    defineTool({
      name: 'outer',
      description: 'Call another tool.',
      execute: async (_params, context) => {
        await context.execute([{ id: 'i', name: 'inner' }])
        await runtime.execute([{ id: 'o', name: 'inner' }])
      },
    }),
  )
  await send('Go.')
  await runtime.execute([{ id: 'p', name: 'inner' }])
  expect(records.flatMap((record) => (record.type === 'calls' ? record.calls : []))).toMatchObject([
    { name: 'outer' },
  ])
})
