import { createRuntime, type RuntimeOptions } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { CurfewProvider, useCall, useCallOutput, useCallUids, useQuestions } from '@curfew/react'
import { Box, Text } from 'ink'
import { memo, type ReactNode } from 'react'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { countedSource } from './support/counted-source.ts'
import { renderInTerminal, settle } from './support/render-in-terminal.ts'

function setUp(options: RuntimeOptions = {}) {
  const clock = createFakeClock()
  const runtime = createRuntime({
    clock,
    approval: 'allow',
    log: () => {},
    concurrency: 5_000,
    limits: { callsPerTurn: 10_000 },
    ...options,
  })
  const concurrent = { clock, concurrent: true } as const
  runtime.register(
    scriptedTool({ ...concurrent, name: 'quick', script: [{ return: 'done' }] }),
    scriptedTool({ ...concurrent, name: 'hang', script: [{ hang: true }] }),
    scriptedTool({
      ...concurrent,
      name: 'chunks',
      script: Array.from({ length: 100 }, (_, index) => [{ output: `line ${index}\n` }, { wait: 1 }]).flat(),
    }),
    scriptedTool({ ...concurrent, name: 'flood', script: [{ output: 'x'.repeat(300_000) }, { wait: 50 }] }),
  )
  const renders = new Map<number, number>()
  const Row = memo(({ uid }: { readonly uid: number }): ReactNode => {
    renders.set(uid, (renders.get(uid) ?? 0) + 1)
    return <Text>{`${uid} ${useCall(uid)?.status ?? 'unknown'}`}</Text>
  })
  const List = (): ReactNode => (
    <Box flexDirection="column">
      {useCallUids().map((uid) => (
        <Row key={uid} uid={uid} />
      ))}
    </Box>
  )
  const show = (node: ReactNode) =>
    renderInTerminal(<CurfewProvider runtime={runtime}>{node}</CurfewProvider>)
  return { clock, runtime, renders, Row, List, show }
}

const callsOf = (count: number, name: string) =>
  Array.from({ length: count }, (_, index) => ({ id: `${name}-${index}`, name, params: { index } }))

test('a change to one call among 1,000 renders one row', async () => {
  const { clock, runtime, renders, List, show } = setUp()
  const running = runtime.execute(callsOf(1_000, 'hang'))
  await clock.settle()
  const terminal = show(<List />)
  expect(renders.size).toBe(1_000)
  renders.clear()
  runtime.cancel('hang-7')
  await clock.settle()
  expect([...renders.values()]).toEqual([1])
  expect(terminal.frame().split('\n')[7]).toMatch(/^\d+ cancelled$/)
  await clock.runUntil(runtime.close())
  await running
})

test('output renders its row at most once per frame', async () => {
  const { clock, runtime, renders, List, show } = setUp()
  const running = runtime.execute([...callsOf(10, 'hang'), ...callsOf(1, 'chunks')])
  await clock.settle()
  show(<List />)
  renders.clear()
  await clock.advance(99)
  // 100 chunks in 99 ms are at most 7 frames of 16 ms.
  expect(renders.size).toBe(1)
  expect(renders.values().next().value).toBeLessThanOrEqual(7)
  await clock.runUntil(runtime.close())
  await running
})

test('live output is shown while the call runs and after it has ended', async () => {
  const { clock, runtime, show } = setUp()
  const running = runtime.execute(callsOf(1, 'chunks'))
  await clock.settle()
  const { uid } = runtime.getSnapshot().calls[0]!
  let renders = 0
  const Output = (): ReactNode => {
    renders++
    const output = useCallOutput(uid)
    return <Text>{`${output?.ended} ${output?.length} ${output?.text.trimEnd().split('\n').at(-1)}`}</Text>
  }
  const terminal = show(<Output />)
  await clock.advance(50)
  expect(terminal.frame()).toMatch(/^false \d+ line 4\d$/)
  expect(renders).toBeLessThanOrEqual(6)
  await clock.runUntil(running)
  await clock.advance(20)
  await settle()
  const expected = Array.from({ length: 100 }, (_, index) => `line ${index}\n`).join('')
  expect(terminal.frame()).toBe(`true ${expected.length} line 99`)
  await runtime.close()
})

test('long output is read from its file', async () => {
  const { clock, runtime, show } = setUp()
  const running = runtime.execute(callsOf(1, 'flood'))
  await clock.settle()
  const { uid } = runtime.getSnapshot().calls[0]!
  const Output = (): ReactNode => {
    const { text = '', offset, length, ended } = useCallOutput(uid) ?? {}
    return <Text>{JSON.stringify({ shown: text.length, offset, length, ended })}</Text>
  }
  const terminal = show(<Output />)
  await clock.runUntil(running)
  await clock.advance(20)
  const end = { shown: 262_144, offset: 37_856, length: 300_000, ended: true }
  await until(() => terminal.frame() === JSON.stringify(end))
  await runtime.close()
})

test('a call that is not known yet is shown when it starts, and is gone when it is no longer kept', async () => {
  const { clock, runtime, Row, show } = setUp()
  await clock.runUntil(runtime.execute(callsOf(1, 'quick')))
  const { uid } = runtime.getSnapshot().calls[0]!
  const terminal = show(
    <>
      <Row uid={uid} />
      <Row uid={uid + 1} />
    </>,
  )
  expect(terminal.frame()).toBe(`${uid} success\n${uid + 1} unknown`)
  const running = runtime.execute(callsOf(1, 'hang'))
  await clock.settle()
  expect(terminal.frame()).toBe(`${uid} success\n${uid + 1} executing`)
  runtime.cancel('hang-0')
  await clock.runUntil(running)
  await clock.settle()
  expect(terminal.frame()).toBe(`${uid} success\n${uid + 1} cancelled`)
  await clock.runUntil(runtime.execute(callsOf(1_200, 'quick')))
  await clock.settle()
  expect(terminal.frame()).toBe(`${uid} unknown\n${uid + 1} unknown`)
  await runtime.close()
})

test('a component shows a question and answers it', async () => {
  const { clock, runtime, show } = setUp({ approval: 'ask', ask: () => 'later' })
  const Questions = (): ReactNode => {
    const [question] = useQuestions()
    const call = useCall(question?.callUid ?? null)
    return <Text>{`${question?.kind ?? 'no question'} ${call?.status ?? 'no call'}`}</Text>
  }
  const terminal = show(<Questions />)
  expect(terminal.frame()).toBe('no question no call')
  const running = runtime.execute(callsOf(1, 'quick'))
  await clock.settle()
  expect(terminal.frame()).toBe('approval awaiting_approval')
  runtime.answer(runtime.getSnapshot().questions[0]!.id, 'once')
  await clock.runUntil(running)
  await clock.settle()
  expect(terminal.frame()).toBe('no question no call')
  await runtime.close()
})

test('unmounting leaves no listener and no timer', async () => {
  const { clock, runtime, Row } = setUp()
  const running = runtime.execute(callsOf(5, 'hang'))
  await clock.settle()
  const source = countedSource(runtime)
  const Everything = (): ReactNode => {
    const uids = useCallUids()
    useQuestions()
    useCallOutput(uids[0] ?? null)
    return uids.map((uid) => <Row key={uid} uid={uid} />)
  }
  const terminal = renderInTerminal(
    <CurfewProvider runtime={source}>
      <Everything />
    </CurfewProvider>,
  )
  await settle()
  expect(source.listeners).toEqual({ all: 3, ofCalls: 5 })
  terminal.unmount()
  await settle()
  expect(source.listeners).toEqual({ all: 0, ofCalls: 0 })
  await clock.runUntil(runtime.close())
  await running
  expect(clock.pending).toBe(0)
})
