import type { CallRow } from '@curfew/core'
import { createRuntime, defineTool } from '@curfew/core'
import { createFakeClock } from '@curfew/core/testing'
import { Box } from 'ink'
import { Profiler, type ReactNode } from 'react'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CallRowView } from '../src/tui/calls/call-row-view.tsx'
import { FrameClock } from '../src/tui/calls/frame-clock.ts'
import { LiveCallTree } from '../src/tui/calls/live-call-tree.ts'
import { LiveCalls } from '../src/tui/calls/live-calls.tsx'
import { createTheme } from '../src/tui/theme/theme.ts'
import { exampleRow, liveOutput } from './example-row.ts'
import { RowSource } from './row-source.ts'
import { openTerminal, type VirtualTerminal } from './virtual-terminal.ts'

const theme = createTheme('dark')

async function open(
  node: ReactNode,
  size: { columns?: number; rows?: number } = {},
): Promise<VirtualTerminal> {
  const terminal = await openTerminal(node, { ...size, render: { incrementalRendering: true } })
  onTestFinished(() => terminal.close())
  return terminal
}

async function textOf(terminal: VirtualTerminal): Promise<string> {
  await terminal.settle()
  return terminal.screen()
}
const running = (uid: number, fields: Partial<CallRow> = {}): CallRow =>
  exampleRow({ uid, args: `command="task ${uid}"`, activeAt: 0, ...fields })

async function setUp(rows: readonly CallRow[], { columns = 80, maxRows = 12 } = {}) {
  const time = createFakeClock()
  const source = new RowSource(...rows)
  const tree = new LiveCallTree(source)
  const clock = new FrameClock(time)
  const screen = await open(
    <LiveCalls runtime={source} tree={tree} clock={clock} width={columns} maxRows={maxRows} theme={theme} />,
    { columns },
  )
  return { time, source, tree, screen }
}

const withoutSpinner = (text: string): string => text.replace(/^( *)[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/gm, '$1*')

describe('LiveCalls', () => {
  it('shows the time, the output and the calls inside a call, as they change', async () => {
    const { time, source, screen } = await setUp([running(1)])
    expect(withoutSpinner(await textOf(screen))).toBe('* run_command task 1 · 0 s of 2 min ░░░░░░░░░░')
    await time.advance(30_000)
    expect(await textOf(screen)).toMatch(/· 30 s of 2 min ██░░░░░░░░ · quiet for 30 s$/)
    source.update(1, { ...liveOutput('one\ntwo\nthree\nfour\n'), activeAt: time.wallTime() })
    await time.advance(200)
    expect(withoutSpinner(await textOf(screen))).toBe(
      [
        '* run_command task 1 · 30 s of 2 min ██░░░░░░░░ · 4 lines',
        '  two',
        '  three',
        '  four',
        '  + 1 line (Ctrl-O shows all)',
      ].join('\n'),
    )
    source.set(
      running(2, { batch: 2, parentUid: 1, updatedAt: time.wallTime(), activeAt: time.wallTime() }),
      running(3, { batch: 2, parentUid: 1, status: 'success' }),
    )
    expect(withoutSpinner(await textOf(screen))).toBe(
      [
        '* run_command task 1 · 30 s of 2 min ██░░░░░░░░ · 1 call done · 4 lines',
        '  * run_command task 2 · 0 s of 2 min ░░░░░░░░░░',
      ].join('\n'),
    )
    source.update(2, { status: 'success' })
    source.update(1, { status: 'success' })
    expect(await textOf(screen)).toBe('')
    expect(time.pending).toBe(0)
  })

  it('shows a batch with the calls of it that have ended', async () => {
    const { screen, source } = await setUp(
      [running(1), running(2, { status: 'scheduled', startedAt: null })],
      {
        columns: 40,
      },
    )
    source.update(1, { status: 'error', elapsedMs: 2_000, code: 'TOOL_FAILED', message: 'No such file.' })
    expect(await textOf(screen)).toBe(
      ['1 of 2 calls done', '✗ run_command task 1 · 2 s', '· run_command · waiting for its turn'].join('\n'),
    )
  })

  it('is never higher than allowed', async () => {
    const rows = Array.from({ length: 40 }, (_, index) =>
      running(index + 1, { batch: index, ...liveOutput('a\nb\nc\nd\n') }),
    )
    const { screen } = await setUp(rows, { maxRows: 5 })
    const lines = (await textOf(screen)).split('\n')
    expect(lines).toHaveLength(5)
    expect(lines.at(-1)).toBe('+ 36 more running (/calls)')
  })

  it('writes nothing while nothing changes', async () => {
    const { screen, time } = await setUp([
      running(1, { paused: true }),
      running(2, { status: 'awaiting_approval' }),
    ])
    await textOf(screen)
    const before = screen.bytesWritten
    await time.advance(60_000)
    await textOf(screen)
    expect(screen.bytesWritten).toBe(before)
    expect(time.pending).toBe(0)
  })

  it('shows the calls of a real runtime', async () => {
    const runtime = createRuntime({ log: () => {} })
    let end = (): void => {}
    runtime.register(
      defineTool({
        name: 'wait',
        description: 'Wait.',
        readOnly: true,
        execute: (_params, { output }) => {
          output('\u001b[31mwaiting\u001b[0m for \u202ethe end')
          return new Promise<void>((resolve) => {
            end = resolve
          })
        },
      }),
    )
    const tree = new LiveCallTree(runtime)
    const clock = new FrameClock()
    const screen = await open(
      <LiveCalls runtime={runtime} tree={tree} clock={clock} width={80} maxRows={10} theme={theme} />,
    )
    const done = runtime.execute([{ id: 'a', name: 'wait' }])
    await expect
      .poll(() => textOf(screen), { timeout: 20_000 })
      .toMatch(/wait · \d s of 3 min .*\n {2}waiting for the end$/)
    end()
    await done
    await expect.poll(() => textOf(screen), { timeout: 20_000 }).toBe('')
    await runtime.close()
  })
})

describe('CallRowView', () => {
  async function setUpMany(count: number) {
    const time = createFakeClock()
    const clock = new FrameClock(time)
    const rows = Array.from({ length: count }, (_, index) =>
      running(index, { status: 'scheduled', startedAt: null }),
    )
    const source = new RowSource(...rows)
    const renders: string[] = []
    const screen = await open(
      <Box flexDirection="column">
        {rows.map(({ uid }) => (
          <Profiler key={uid} id={String(uid)} onRender={(id) => void renders.push(id)}>
            <CallRowView runtime={source} clock={clock} uid={uid} width={80} theme={theme} maxLines={1} />
          </Profiler>
        ))}
      </Box>,
      { rows: count + 1 },
    )
    const rendered = async (): Promise<string[]> => {
      await new Promise((resolve) => setImmediate(resolve))
      return renders.splice(0)
    }
    return { time, source, screen, rendered }
  }

  it('a change to one of 1,000 calls renders one row', async () => {
    const { source, rendered } = await setUpMany(1_000)
    expect((await rendered()).length).toBeGreaterThanOrEqual(1_000)
    source.update(700, { status: 'executing', startedAt: 0 })
    expect(await rendered()).toEqual(['700'])
    source.update(700, { status: 'success' })
    expect(await rendered()).toEqual(['700'])
  })

  it('output is rendered at most seven times per second', async () => {
    const { time, source, rendered } = await setUpMany(3)
    source.update(1, { status: 'executing', startedAt: 0 })
    await rendered()
    for (let line = 1; line <= 1_000; line++) {
      source.update(1, { outputLines: line, outputTail: `line ${line}\n` })
      await time.advance(1)
    }
    const renders = await rendered()
    expect(renders.length).toBeGreaterThan(4)
    expect(renders.length).toBeLessThanOrEqual(7)
  })

  it('a row is not rendered while it shows the same', async () => {
    const { source, rendered } = await setUpMany(1)
    await rendered()
    source.update(0, { outputBytes: 5 })
    expect(await rendered()).toEqual([])
  })

  it('leaves no listener and no timer behind', async () => {
    const { time, source, screen } = await setUpMany(5)
    source.update(2, { status: 'executing', startedAt: 0 })
    await screen.close()
    expect(source.listenerCount).toBe(0)
    expect(time.pending).toBe(0)
  })
})
