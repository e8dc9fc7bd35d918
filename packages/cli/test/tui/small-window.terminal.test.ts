import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { answer, call } from '../prompt-support.ts'
import { hasTmux } from '../tmux-terminal.ts'
import { asked, TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
const calls = (count: number) =>
  Array.from({ length: count }, (_, index) => call('script_touch', { text: `number-${index}` })).flat()

describe.runIf(hasTmux)('a question in a window with little room', () => {
  it('is visible as a whole, whatever else is shown', async () => {
    setup.script('touch', 'true')
    const text = Array.from({ length: 40 }, (_, index) => `line ${index}`).join('\n')
    const { terminal } = await setup.launch([[{ text }, ...calls(20)]], { columns: 80, rows: 10 })
    terminal.enter('Go')
    await terminal.shows(/^Allow script_touch.*number-0[\s\S]*^y once[\s\S]*ask before changes/m)
  })

  it('cannot be answered if it is not visible', async () => {
    setup.script('touch', `touch '${setup.project}/touched'`)
    const { terminal } = await setup.launch([calls(1), answer('Fine.')], { columns: 30, rows: 6 })
    terminal.enter('Go')
    await terminal.shows(/Make the window larger/)
    // Longer than any question has to be visible before it can be answered.
    await sleep(1_500)
    terminal.press('y')
    await terminal.shows(/> y/)
    await terminal.resize(80, 24)
    await asked(terminal, /Approval/)
    expect(existsSync(join(setup.project, 'touched'))).toBe(false)
  })
})
