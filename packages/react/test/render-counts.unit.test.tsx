import { type CallRow, createMirror, isTerminal, type Mirror, type Question } from '@curfew/core/rows'
import { type CallSource, CurfewProvider, useCall, useCalls, useCallUids, useQuestions } from '@curfew/react'
import { Box, Text } from 'ink'
import { memo, type ReactNode, StrictMode } from 'react'
import { describe, expect, test } from 'vitest'
import { change } from './support/change-rows.ts'
import { countedSource } from './support/counted-source.ts'
import { renderInTerminal, settle } from './support/render-in-terminal.ts'
import { rowOf, rowsOf } from './support/row-of.ts'

/** How often each component was rendered. */
class Counts {
  readonly #counts = new Map<string, number>()

  add(name: string): void {
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1)
  }

  /** Since the last time. */
  take(): Record<string, number> {
    const counts = Object.fromEntries(this.#counts)
    this.#counts.clear()
    return counts
  }
}

function setUp(count: number) {
  const mirror = createMirror()
  mirror.reset({ revision: 0, calls: rowsOf(count), questions: [] })
  const counts = new Counts()
  const Row = memo(({ uid }: { readonly uid: number }) => {
    counts.add(`row ${uid}`)
    const call = useCall(uid)
    return <Text>{call === undefined ? `${uid} unknown` : `${call.uid} ${call.status}`}</Text>
  })
  const List = ({ filter }: { readonly filter?: (row: CallRow) => boolean }): ReactNode => {
    counts.add('list')
    const uids = useCallUids(filter)
    return (
      <Box flexDirection="column">
        {uids.map((uid) => (
          <Row key={uid} uid={uid} />
        ))}
      </Box>
    )
  }
  return { mirror, counts, Row, List, source: countedSource(mirror) }
}

function show(source: CallSource, node: ReactNode) {
  return renderInTerminal(<CurfewProvider runtime={source}>{node}</CurfewProvider>)
}

const finish = (mirror: Mirror, uid: number): void =>
  change(mirror, { changed: [rowOf(uid, { status: 'success' })] })

describe('one row for one call', () => {
  test('a change to one call among 1,000 renders one row, and reads one row', async () => {
    const { mirror, counts, List, source } = setUp(1_000)
    const terminal = show(source, <List />)
    expect(counts.take()).toEqual({
      list: 1,
      ...Object.fromEntries(rowsOf(1_000).map(({ uid }) => [`row ${uid}`, 1])),
    })
    // The first change checks once whether the calls are still known.
    finish(mirror, 1)
    await settle()
    expect(counts.take()).toEqual({ 'row 1': 1 })
    source.reads = 0
    finish(mirror, 500)
    await settle()
    expect(counts.take()).toEqual({ 'row 500': 1 })
    expect(source.reads).toBeLessThan(10)
    const lines = terminal.frame().split('\n')
    expect([lines[0], lines[1], lines[499]]).toEqual(['1 success', '2 executing', '500 success'])
  })

  test('all changes of a delta are rendered at once', async () => {
    const { mirror, counts, List, source } = setUp(100)
    const terminal = show(source, <List />)
    counts.take()
    const { frames } = terminal
    change(mirror, {
      changed: [rowOf(3, { status: 'error' }), rowOf(7, { status: 'error' }), rowOf(101)],
      removed: [1],
    })
    await settle()
    expect(counts.take()).toEqual({ list: 1, 'row 3': 1, 'row 7': 1, 'row 101': 1 })
    expect(terminal.frames).toBe(frames + 1)
  })

  test('a call that is added renders the list and its own row', async () => {
    const { mirror, counts, List, source } = setUp(100)
    show(source, <List />)
    counts.take()
    change(mirror, { changed: [rowOf(101)] })
    await settle()
    expect(counts.take()).toEqual({ list: 1, 'row 101': 1 })
  })

  test('nothing is rendered without a change, nor when its parent is rendered with the same sources', async () => {
    const { mirror, counts, List, source } = setUp(10)
    const terminal = show(source, <List />)
    counts.take()
    const { frames } = terminal
    change(mirror, {})
    await settle()
    expect(counts.take()).toEqual({})
    expect(terminal.frames).toBe(frames)
    const StableList = memo(List)
    terminal.rerender(
      <CurfewProvider runtime={source}>
        <StableList />
      </CurfewProvider>,
    )
    counts.take()
    terminal.rerender(
      <CurfewProvider runtime={source}>
        <StableList />
      </CurfewProvider>,
    )
    await settle()
    expect(counts.take()).toEqual({})
  })

  test('a filter renders the list only when a call begins or ceases to match', async () => {
    const { mirror, counts, List, source } = setUp(3)
    const isLive = ({ status }: CallRow): boolean => !isTerminal(status)
    const terminal = show(source, <List filter={isLive} />)
    counts.take()
    change(mirror, { changed: [rowOf(2, { progress: { current: 1 } })] })
    await settle()
    expect(counts.take()).toEqual({ 'row 2': 1 })
    finish(mirror, 2)
    await settle()
    expect(counts.take().list).toBe(1)
    expect(terminal.frame()).toBe('1 executing\n3 executing')
  })

  test('an inline filter works too', async () => {
    const { mirror, counts, source } = setUp(3)
    const Finished = (): ReactNode => {
      counts.add('finished')
      return <Text>{useCallUids(({ status }) => isTerminal(status)).join()}</Text>
    }
    const terminal = show(source, <Finished />)
    finish(mirror, 2)
    await settle()
    change(mirror, { changed: [rowOf(1, { progress: { current: 1 } })] })
    await settle()
    expect(terminal.frame()).toBe('2')
    expect(counts.take()).toEqual({ finished: 2 })
  })
})

describe('what changes while it is shown', () => {
  test('a call that was unknown is shown when it becomes known, and follows later changes', async () => {
    const { mirror, counts, Row, source } = setUp(1)
    const terminal = show(source, <Row uid={5} />)
    expect(terminal.frame()).toBe('5 unknown')
    change(mirror, { changed: [rowOf(5)] })
    await settle()
    expect(terminal.frame()).toBe('5 executing')
    finish(mirror, 5)
    await settle()
    expect(terminal.frame()).toBe('5 success')
    expect(counts.take()).toEqual({ 'row 5': 3 })
  })

  test('a call that is removed is undefined, and can come back with a reset', async () => {
    const { mirror, Row, source } = setUp(2)
    const terminal = show(source, <Row uid={2} />)
    change(mirror, { removed: [2] })
    await settle()
    expect(terminal.frame()).toBe('2 unknown')
    mirror.reset({ revision: 50, calls: [rowOf(2, { status: 'scheduled' })], questions: [] })
    await settle()
    expect(terminal.frame()).toBe('2 scheduled')
    finish(mirror, 2)
    await settle()
    expect(terminal.frame()).toBe('2 success')
  })

  test('another uid, and another source, replace the subscriptions', async () => {
    const { mirror, Row, source } = setUp(2)
    const other = createMirror()
    other.reset({ revision: 0, calls: [rowOf(2, { status: 'error' })], questions: [] })
    const terminal = show(source, <Row uid={1} />)
    terminal.rerender(
      <CurfewProvider runtime={source}>
        <Row uid={2} />
      </CurfewProvider>,
    )
    finish(mirror, 2)
    await settle()
    expect(terminal.frame()).toBe('2 success')
    expect(source.listeners).toEqual({ all: 1, ofCalls: 1 })
    terminal.rerender(
      <CurfewProvider runtime={other}>
        <Row uid={2} />
      </CurfewProvider>,
    )
    await settle()
    expect(terminal.frame()).toBe('2 error')
    expect(source.listeners).toEqual({ all: 0, ofCalls: 0 })
  })

  test('a component that is mounted later shows the current row', async () => {
    const { mirror, Row, source } = setUp(2)
    const terminal = show(source, <Row uid={1} />)
    finish(mirror, 2)
    terminal.rerender(
      <CurfewProvider runtime={source}>
        <Row uid={2} />
      </CurfewProvider>,
    )
    await settle()
    expect(terminal.frame()).toBe('2 success')
  })
})

test('unmounting leaves no listener, also in strict mode', async () => {
  const { mirror, Row, List, source, counts } = setUp(50)
  const Numbers = (): ReactNode => <Text>{`${useCalls().length} ${useQuestions().length}`}</Text>
  const terminal = show(
    source,
    <StrictMode>
      <Numbers />
      <List />
      <Row uid={1} />
      <Row uid={99} />
    </StrictMode>,
  )
  await settle()
  expect(source.listeners).toEqual({ all: 4, ofCalls: 51 })
  counts.take()
  finish(mirror, 3)
  await settle()
  // Strict mode renders twice.
  expect(counts.take()).toEqual({ 'row 3': 2 })
  terminal.unmount()
  await settle()
  expect(source.listeners).toEqual({ all: 0, ofCalls: 0 })
})

test('useCalls renders for any call, useQuestions only for questions', async () => {
  const { mirror, counts, source } = setUp(2)
  const Calls = (): ReactNode => {
    counts.add('calls')
    return (
      <Text>
        {useCalls()
          .map(({ status }) => status)
          .join()}
      </Text>
    )
  }
  const Questions = (): ReactNode => {
    counts.add('questions')
    return (
      <Text>
        {useQuestions()
          .map(({ message }) => message)
          .join()}
      </Text>
    )
  }
  const terminal = show(
    source,
    <>
      <Calls />
      <Questions />
    </>,
  )
  counts.take()
  finish(mirror, 1)
  await settle()
  expect(counts.take()).toEqual({ calls: 1 })
  const question: Question = {
    kind: 'input',
    id: 4,
    conversation: 'main',
    client: null,
    callUid: null,
    callId: '',
    tool: '',
    params: {},
    message: 'Which one?',
    choices: null,
  }
  change(mirror, { opened: [question] })
  await settle()
  expect(counts.take()).toEqual({ questions: 1 })
  expect(terminal.frame()).toContain('Which one?')
  change(mirror, { closed: [4] })
  await settle()
  expect(terminal.frame()).not.toContain('Which one?')
})
