import type { CallRow } from '@curfew/core'
import { createFakeClock } from '@curfew/core/testing'
import { expect, it, vi } from 'vitest'
import { exampleRow, liveOutput } from '../../../test/example-row.ts'
import { RowSource } from '../../../test/row-source.ts'
import { createTheme } from '../theme/theme.ts'
import { CallsScreenStore } from './calls-screen-store.ts'
import { FrameClock } from './frame-clock.ts'
import type { ScreenKey } from './screen-key.ts'

const size = { width: 80, height: 5, theme: createTheme('plain') }

class FakeRuntime extends RowSource {
  readonly cancel = vi.fn(() => true)
  readonly detach = vi.fn((): number | null => 77)
  output = ''
  readonly readOutput = async (_uid: number, from = 0) => {
    const text = this.output.slice(from, from + 65_536)
    return {
      text,
      offset: from,
      next: from + text.length,
      length: this.output.length,
      ended: true,
      dropped: 0,
      attempts: [0],
    }
  }
}

function setUp(...rows: readonly CallRow[]) {
  const time = createFakeClock()
  const runtime = new FakeRuntime(...rows)
  const onClose = vi.fn()
  const screen = new CallsScreenStore({ runtime, clock: new FrameClock(time), onClose })
  const view = () => screen.view(size)
  const press = (...keys: readonly (string | ScreenKey)[]) => {
    view()
    for (const key of keys) {
      if (typeof key === 'string') screen.handleKey(key, {})
      else screen.handleKey('', key)
    }
    return view()
  }
  return { time, runtime, screen, onClose, view, press }
}

const many = (count: number): CallRow[] =>
  Array.from({ length: count }, (_, index) =>
    exampleRow({ uid: index, name: `tool_${index}`, status: index % 10 === 0 ? 'error' : 'success' }),
  )

const up = { upArrow: true }
const enter = { return: true }
const esc = { escape: true }

it('selects with the arrow keys, pages, and the first letter of both ends', () => {
  const { view, press } = setUp(...many(100))
  expect(view()).toMatchObject({ selected: 99, visible: [95, 96, 97, 98, 99] })
  expect(press(up, 'k')).toMatchObject({ selected: 97 })
  expect(press({ pageUp: true })).toMatchObject({ selected: 93, visible: [93, 94, 95, 96, 97] })
  expect(press({ home: true }, 'j')).toMatchObject({ selected: 1, visible: [0, 1, 2, 3, 4] })
  expect(press('G', 'g')).toMatchObject({ selected: 0 })
})

it('filters and searches', () => {
  const { view, press } = setUp(...many(99), exampleRow({ uid: 200, name: 'running_tool' }))
  expect(press('f')).toMatchObject({ filter: 'running', visible: [200] })
  expect(press('f')).toMatchObject({
    filter: 'failed',
    selected: 90,
    counts: { all: 100, running: 1, failed: 10 },
  })
  press('f', '/', 'T', 'ool_5\u001b', '5', { backspace: true }, '7')
  expect(view()).toMatchObject({ search: 'Tool_57', isTyping: true, visible: [57] })
  expect(press(enter)).toMatchObject({ search: 'Tool_57', isTyping: false, visible: [57] })
  expect(press(esc)).toMatchObject({ search: '', selected: 57 })
})

it('escape undoes one thing at a time, q closes', () => {
  const { press, onClose } = setUp(...many(3))
  expect(press('/', 'tool', enter, enter).expanded).toMatchObject({ uid: 2 })
  expect(press(esc)).toMatchObject({ expanded: null, search: 'tool' })
  expect(press(esc)).toMatchObject({ search: '' })
  expect(onClose).not.toHaveBeenCalled()
  press(esc)
  press(enter, 'q')
  expect(onClose).toHaveBeenCalledTimes(2)
})

it('keys that are typed as a search do nothing else', () => {
  const { press, runtime, onClose } = setUp(exampleRow())
  press('/', 'c', 'b', 'q', 'f', up)
  expect([runtime.cancel.mock.calls, runtime.detach.mock.calls, onClose.mock.calls]).toEqual([[], [], []])
})

it('cancels a call, and continues one in the background', () => {
  const { press, runtime } = setUp(exampleRow({ uid: 4 }))
  expect(press('c').message).toBe('Call 4 is being cancelled.')
  expect(runtime.cancel).toHaveBeenCalledWith({ uid: 4 }, 'by the user')
  runtime.cancel.mockReturnValue(false)
  expect(press('c').message).toBe('Call 4 has already ended.')
  expect(press('b').message).toBe('It continues in the background as call 77.')
  runtime.detach.mockReturnValue(null)
  runtime.update(4, { status: 'scheduled' })
  expect(press('b').message).toBe('Call 4 cannot continue in the background: it is not running yet.')
  runtime.update(4, { status: 'success' })
  expect(press('b').message).toBe('Call 4 cannot continue in the background: it has ended.')
  expect(press(up).message).toBe(null)
})

it('expands a call, whose output can be scrolled and is loaded in parts', async () => {
  const { time, press, view, runtime } = setUp(exampleRow({ uid: 1 }))
  runtime.output = Array.from({ length: 50_000 }, (_, index) => `line ${index + 1}\n`).join('')
  runtime.update(1, liveOutput(runtime.output))
  const reads = vi.spyOn(runtime, 'readOutput')
  expect(press(enter).expanded!.lines[0]).toContain('run_command')
  const settled = async () => {
    for (let round = 0; round < 4; round++) {
      view()
      await time.advance(200)
    }
    return view().expanded!.lines
  }
  press({ end: true })
  expect(await settled()).toEqual(['line 49996', 'line 49997', 'line 49998', 'line 49999', 'line 50000'])
  press({ pageUp: true })
  expect((await settled())[0]).toBe('line 49993')
  expect(reads.mock.calls.length).toBeLessThan(6)
  press({ home: true }, { pageDown: true })
  await settled()
  for (let page = 0; page < 5; page++) press({ pageDown: true })
  expect((await settled()).at(-1)).toMatch(/^line \d+$/)
})

it('can begin with an expanded call', () => {
  const runtime = new FakeRuntime(...many(100))
  const clock = new FrameClock(createFakeClock())
  const screen = new CallsScreenStore({ runtime, clock, onClose: () => {}, expandedUid: 50 })
  expect(screen.view(size)).toMatchObject({ selected: 50, expanded: { uid: 50 } })
  screen.handleKey('', esc)
  expect(screen.view(size)).toMatchObject({ selected: 50, expanded: null })
  expect(screen.view(size).visible).toContain(50)
})

it('an expanded call stays while others are added', async () => {
  const { time, press, view, runtime } = setUp(exampleRow({ uid: 1 }))
  press(enter)
  runtime.set(exampleRow({ uid: 2 }))
  await time.advance(200)
  expect(view()).toMatchObject({ expanded: { uid: 1 }, selected: 1 })
  expect(press({ rightArrow: true })).toMatchObject({ expanded: { uid: 2 } })
  expect(press({ leftArrow: true })).toMatchObject({ expanded: { uid: 1 } })
})

it('the view is the same object while nothing changes, and changes with the frames of the clock', async () => {
  const { time, view, runtime, screen } = setUp(...many(3))
  const listener = vi.fn()
  screen.subscribe(listener)
  const before = view()
  expect(view()).toBe(before)
  for (let uid = 10; uid < 500; uid++) runtime.set(exampleRow({ uid }))
  await time.advance(140)
  expect(listener).toHaveBeenCalledTimes(1)
  expect(view().counts.all).toBe(493)
  screen.close()
  expect(runtime.listenerCount).toBe(0)
})

it('without calls, every key is ignored', () => {
  const { press } = setUp()
  expect(press(up, enter, 'c', 'b', 'f', { leftArrow: true }, 'x')).toMatchObject({
    selected: null,
    expanded: null,
    visible: [],
  })
})
