import type { CallRow } from '@curfew/core'
import { createRuntime } from '@curfew/core'
import { createFakeClock, scriptedTool } from '@curfew/core/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CallRecords } from '../src/tui/calls/call-records.ts'
import { CallsScreen } from '../src/tui/calls/calls-screen.tsx'
import { type CallsScreenRuntime, CallsScreenStore } from '../src/tui/calls/calls-screen-store.ts'
import { FrameClock } from '../src/tui/calls/frame-clock.ts'
import { createTheme } from '../src/tui/theme/theme.ts'
import { exampleRow } from './example-row.ts'
import { RowSource } from './row-source.ts'
import { openTerminal, type VirtualTerminal } from './virtual-terminal.ts'

const theme = createTheme('dark')

async function setUp(
  runtime: CallsScreenRuntime,
  { columns = 80, rows = 12, records = undefined as CallRecords | undefined } = {},
) {
  const time = createFakeClock()
  const clock = new FrameClock(time)
  const screen = new CallsScreenStore({ runtime, clock, records, onClose: () => {} })
  const node = (width: number, height: number) => (
    <CallsScreen
      screen={screen}
      runtime={runtime}
      clock={clock}
      width={width}
      height={height}
      theme={theme}
    />
  )
  const terminal = await openTerminal(node(columns, rows - 1), {
    columns,
    rows,
    render: { incrementalRendering: true },
  })
  onTestFinished(() => terminal.close())
  return {
    time,
    screen,
    terminal,
    resize: (width: number, height: number) => terminal.rerender(node(width, height)),
  }
}

async function textOf(terminal: VirtualTerminal): Promise<string> {
  await terminal.settle()
  return terminal.screen()
}

/** 5,000 rows; those of a runtime are limited to 1,000 ended ones. */
function rowSource(count: number): RowSource & CallsScreenRuntime {
  const rows = Array.from({ length: count }, (_, index) =>
    exampleRow({ uid: index, args: `command="task ${index}"`, status: 'success', elapsedMs: index }),
  )
  return Object.assign(new RowSource(...rows), {
    readOutput: async () => null,
    cancel: () => false,
    detach: () => null,
  })
}

describe('/calls', () => {
  it('lists the calls and follows the newest', async () => {
    const source = rowSource(5_000)
    const { time, terminal, screen } = await setUp(source, { rows: 9 })
    expect(await textOf(terminal)).toBe(
      [
        'Calls  5000 · 0 running · 0 failed',
        '  ✓ run_command task 4995                                                    5 s',
        '  ✓ run_command task 4996                                                    5 s',
        '  ✓ run_command task 4997                                                    5 s',
        '  ✓ run_command task 4998                                                    5 s',
        '❯ ✓ run_command task 4999                                                    5 s',
        '',
        '↑↓ select · Enter expand · c cancel · b background · f filter · / find · q close',
      ].join('\n'),
    )
    source.set(exampleRow({ uid: 5_000, args: 'command="new"' } satisfies Partial<CallRow>))
    await time.advance(200)
    expect(await textOf(terminal)).toMatch(
      /^Calls {2}5001 · 1 running[\s\S]*❯ \S run_command new .* 0 s of 2 min ░{10}/,
    )
    screen.handleKey('', { home: true })
    expect(await textOf(terminal)).toMatch(/\n❯ ✓ run_command task 0 + 0 ms\n/)
  })

  it('expands a call of a real runtime', async () => {
    const time = createFakeClock()
    const runtime = createRuntime({ clock: time, log: () => {} })
    const records = new CallRecords(runtime)
    const script = [
      { output: Array.from({ length: 3_000 }, (_, index) => `line ${index}\n`).join('') },
      { return: 'the result' },
    ]
    runtime.register(scriptedTool({ clock: time, name: 'print', script, readOnly: true }))
    await time.runUntil(
      runtime.execute([{ id: 'a', name: 'print', params: { path: 'src/\u001b[2Ja', deep: { x: [1, 2] } } }]),
    )
    const { screen, terminal, time: frames } = await setUp(runtime, { rows: 30, records })
    screen.handleKey('', { return: true })
    const text = await textOf(terminal)
    expect(text).toContain('❯ ✓ print src/\\u001b[2Ja')
    expect(text).toContain('      "x": [\n        1,\n        2\n      ]')
    expect(text).toMatch(/limit {6}3 min \(/)
    expect(text).toContain('Result\n  the result')
    expect(text).toContain('Output (3,000 lines)')
    screen.handleKey('', { end: true })
    await textOf(terminal)
    await expect
      .poll(
        async () => {
          await frames.advance(200)
          return await textOf(terminal)
        },
        { timeout: 20_000 },
      )
      .toMatch(/line 2998\nline 2999\n/)
    screen.handleKey('', { escape: true })
    expect(await textOf(terminal)).not.toContain('line 2999')
    await runtime.close()
  })

  it('follows the size of the terminal', async () => {
    const { terminal, resize } = await setUp(rowSource(100), { columns: 120, rows: 20 })
    await textOf(terminal)
    await resize(40, 7)
    expect(await textOf(terminal)).toBe(
      [
        'Calls  100 · 0 running · 0 failed',
        '  ✓ run_command task 96            96 ms',
        '  ✓ run_command task 97            97 ms',
        '  ✓ run_command task 98            98 ms',
        '❯ ✓ run_command task 99            99 ms',
        '',
        'Enter expand · c cancel · q close',
      ].join('\n'),
    )
  })

  it('writes as much for a change of one row in a long list as in a short one', async () => {
    const written = async (count: number): Promise<number> => {
      const source = rowSource(count)
      const { time, terminal } = await setUp(source, { rows: 30 })
      await textOf(terminal)
      const before = terminal.bytesWritten
      source.update(count - 1, { elapsedMs: 12_345 })
      await time.advance(200)
      await textOf(terminal)
      return terminal.bytesWritten - before
    }
    const short = await written(50)
    expect(short).toBeGreaterThan(0)
    expect(await written(5_000)).toBeLessThanOrEqual(short + 50)
  })
})
