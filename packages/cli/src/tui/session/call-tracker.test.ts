import { type CallRow, createRuntime } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { CallTracker } from './call-tracker.ts'

function setUp() {
  const clock = createFakeClock()
  const runtime = createRuntime({ clock, approval: 'allow', log: () => {} })
  runtime.register(
    scriptedTool({
      clock,
      name: 'work',
      concurrent: true,
      script: ({ ms = 0, nested = 0 }) => [
        ...(nested === 0
          ? []
          : [
              {
                run: (context: { execute(calls: unknown): unknown }) =>
                  context.execute([{ id: 'inner', name: 'work', params: { ms: nested } }]),
              } as never,
            ]),
        { output: 'some output\n' },
        { wait: ms as number },
        { return: 'done' },
      ],
    }),
  )
  const live: (readonly number[])[] = []
  const batches: string[][] = []
  const tasks: string[] = []
  const describe = ({ id, status }: CallRow): string => `${id} ${status}`
  const tracker = new CallTracker(runtime, {
    onLive: (uids) => live.push(uids),
    onBatch: (rows) => batches.push(rows.map(describe)),
    onTask: (row) => tasks.push(describe(row)),
  })
  return { clock, runtime, tracker, live, batches, tasks }
}

const call = (id: string, params: object) => ({ id, name: 'work', params })

test('a batch is reported once, when all its calls have ended, in the order of the calls', async () => {
  const { clock, runtime, tracker, live, batches } = setUp()
  const results = runtime.execute([call('a', { ms: 200 }), call('b', { ms: 100 })])
  await clock.advance(150)
  expect(tracker.running.map(({ id }) => id)).toEqual(['a'])
  // Once more when one of them is no longer executing.
  expect(live).toEqual([
    [1, 2],
    [1, 2],
  ])
  expect(batches).toEqual([])
  await clock.advance(100)
  await results
  expect(batches).toEqual([['a success', 'b success']])
  expect(live).toEqual([[1, 2], [1, 2], []])
  await runtime.close()
})

test('calls inside other calls are reported with them', async () => {
  const { clock, runtime, live, batches } = setUp()
  await clock.runUntil(runtime.execute([call('outer', { nested: 50 })]))
  await clock.settle()
  expect(batches).toEqual([['outer success', 'inner success']])
  expect(live).toEqual([[1], []])
  await runtime.close()
})

test('a call that cannot start is reported', async () => {
  const { clock, runtime, batches } = setUp()
  await clock.runUntil(runtime.execute([{ id: 'x', name: 'unknown', params: {} }]))
  await clock.settle()
  expect(batches).toEqual([['x error']])
  await runtime.close()
})

test('a call that continues in the background ends its batch, and its task is reported at its end', async () => {
  const { clock, runtime, tracker, live, batches, tasks } = setUp()
  const results = runtime.execute([call('a', { ms: 1_000 })])
  await clock.advance(100)
  const task = runtime.detach(1)!
  await results
  await clock.settle()
  expect(batches).toEqual([['a success']])
  expect(tracker.tasks.map(({ uid }) => uid)).toEqual([task])
  expect(live.at(-1)).toEqual([task])
  await clock.advance(2_000)
  expect(tasks).toHaveLength(1)
  expect(live.at(-1)).toEqual([])
  await runtime.close()
})

test('after dispose, nothing is reported', async () => {
  const { clock, runtime, tracker, live, batches } = setUp()
  tracker.dispose()
  await clock.runUntil(runtime.execute([call('a', {})]))
  await clock.settle()
  expect([live, batches]).toEqual([[], []])
  await runtime.close()
})
