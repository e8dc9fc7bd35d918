import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { call } from '../prompt-support.ts'
import { hasTmux } from '../tmux-terminal.ts'
import { asked, TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()

describe.runIf(hasTmux)('a menu that is open while there is a question', () => {
  it('is closed by a key that does not also answer the question', async () => {
    setup.script('hang', 'sleep 600')
    setup.script('touch', `touch '${setup.project}/touched'`)
    const { terminal } = await setup.launch([[...call('script_hang'), ...call('script_touch')]], {
      config: {
        tools: { script_hang: { readOnly: true, concurrent: true }, script_touch: { concurrent: true } },
      },
    })
    terminal.enter('Go')
    await asked(terminal, /Approval/)
    terminal.press('C-x')
    await terminal.shows(/Cancel which call\?/)
    // Longer than a question has to be visible before it can be answered.
    await sleep(1_500)
    terminal.press('Enter', 'Enter')
    await terminal.hides(/Cancel which call\?/)
    await asked(terminal, /Approval/)
    expect(existsSync(join(setup.project, 'touched'))).toBe(false)
  })
})
