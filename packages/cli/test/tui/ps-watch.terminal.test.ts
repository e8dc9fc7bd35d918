import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { until } from '../../../../test/support/until.ts'
import { answer, call } from '../prompt-support.ts'
import { hasTmux, type TmuxTerminal } from '../tmux-terminal.ts'
import { TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
const started: ChildProcess[] = []

afterEach(async () => {
  for (const child of started.splice(0)) {
    if (child.exitCode !== null) continue
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
})

/** Starts processes with one call each. */
function startCalls(count: number): void {
  setup.script('wait', 'i=0; while :; do i=$((i+1)); echo "line $i"; sleep 0.2; done')
  for (let number = 1; number <= count; number++)
    started.push(setup.start(['call', 'script_wait', `text=call${number}`]))
}

async function listed(): Promise<{ id: string; tool: string; status: string; program: string }[]> {
  return JSON.parse((await setup.run('ps', '--json')).stdout).calls
}

async function watch(size: { columns: number; rows: number }): Promise<TmuxTerminal> {
  const terminal = setup.open(size)
  await terminal.shows(/^\$ *$/m)
  terminal.enter('clear; curfew ps --watch')
  return terminal
}

const callNames = (screen: string): string[] => screen.match(/\bcall\d+\b/g) ?? []

describe.runIf(hasTmux)('curfew ps --watch', () => {
  it.each([80, 120])('draws calls as they start, run and end, at %i columns', async (columns) => {
    const terminal = await watch({ columns, rows: 24 })
    await terminal.shows(/^nothing is running$/m)
    startCalls(2)
    const screen = await terminal.shows(
      /call \(process \d+\)\n +\S+ +\S script_wait call\d · \d+ s of 5 min ░+[\s\S]*line \d+/,
    )
    expect(screen).not.toMatch(/nothing is running/)
    await until(() => callNames(terminal.screen()).length === 2)
    // Output arrives without anything being drawn twice.
    await terminal.shows(/line 1\d/)
    expect(callNames(terminal.scrollback()).sort()).toEqual(['call1', 'call2'])
    const calls = await listed()
    await setup.run('cancel', ...calls.map(({ id }) => id))
    await terminal.shows(/^nothing is running$/m)
    terminal.press('C-c')
    await terminal.shows(/^\$ *$/m)
    expect(terminal.cursor().isVisible).toBe(true)
    expect(callNames(terminal.scrollback())).toEqual([])
  })

  it('takes no more than the height of the terminal, whatever its size', async () => {
    startCalls(6)
    const terminal = await watch({ columns: 100, rows: 30 })
    await until(() => new Set(callNames(terminal.screen())).size === 6)
    for (const [columns, rows] of [
      [100, 8],
      [60, 8],
      [44, 5],
      [120, 30],
    ] as const) {
      await terminal.resize(columns, rows)
      if (rows < 13) await terminal.shows(/\+ \d more calls?; curfew ps lists them/)
      else await until(() => new Set(callNames(terminal.screen())).size === 6)
    }
    terminal.press('C-c')
    await terminal.shows(/^\$ *$/m)
    // What was last drawn stays.
    expect(new Set(callNames(terminal.screen())).size).toBe(6)
  })

  it('can be suspended and continued', async () => {
    startCalls(1)
    const terminal = await watch({ columns: 80, rows: 24 })
    await terminal.shows(/call1 .*\n.*line \d/)
    terminal.press('C-z')
    await terminal.shows(/^\$ *$/m)
    terminal.enter('clear; fg')
    await terminal.shows(/call1 .*\n.*line \d/)
    expect(callNames(terminal.screen())).toEqual(['call1'])
    terminal.press('C-c')
    await terminal.shows(/^\$ *$/m)
  })

  it('the agent in another terminal: its question is listed, and closed when the call is cancelled', async () => {
    const script = [call('write_file', { path: 'a.txt', content: 'x' }), answer('Never mind.')]
    const { terminal } = await setup.launch(script)
    terminal.enter('Write a file')
    await terminal.shows(/a\.txt/)
    await until(async () => (await listed()).some(({ status }) => status === 'awaiting_approval'))
    const [found] = await listed()
    expect(found).toMatchObject({ program: 'terminal', tool: 'write_file' })
    expect(await setup.run('cancel', found!.id)).toMatchObject({ code: 0 })
    await terminal.hides(/Yes, once|for this turn/)
    expect(await listed()).toEqual([])
  })
})
