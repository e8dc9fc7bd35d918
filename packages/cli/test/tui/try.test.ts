import { describe, expect, it } from 'vitest'
import { answer, call } from '../prompt-support.ts'
import { hasTmux } from '../tmux-terminal.ts'
import { TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
describe.runIf(hasTmux)('try', () => {
  it('a', async () => {
    const { terminal } = await setup.start([[{text: 'Working. '}, ...call('run_command', { command: 'for i in 1 2 3; do echo line $i; sleep 1; done' })], answer('Done **now**.')], {columns: 90, rows: 30})
    terminal.enter('hello there')
    await terminal.shows(/run_command/)
    console.log(terminal.screen())
    terminal.type('y')
    await new Promise(r => setTimeout(r, 2000))
    console.log(terminal.screen())
    await terminal.shows(/Done/)
    await new Promise(r => setTimeout(r, 500))
    terminal.press('C-c')
    terminal.press('C-c')
    await terminal.shows(/--resume/)
    console.log(terminal.scrollback(), terminal.cursor())
  })
})
