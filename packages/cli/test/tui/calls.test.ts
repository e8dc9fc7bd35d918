import { describe, expect, it } from 'vitest'
import { newTag, untilNoneLeft } from '../../../../test/support/processes.ts'
import { answer, call } from '../prompt-support.ts'
import { hasTmux } from '../tmux-terminal.ts'
import { asked, TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
const size = { columns: 90, rows: 30 }
const allowed = { ...size, args: '--allow run_command' }

describe.runIf(hasTmux)('a call', () => {
  it('that reaches its limit shows the time and the limit, then where the limit was set', async () => {
    const tag = newTag()
    const command = `echo building; sleep ${tag}`
    const { terminal } = await setup.start(
      [
        [{ text: 'I will build it.' }, ...call('run_command', { command, timeout_seconds: 4 })],
        answer('The build takes too long.'),
      ],
      allowed,
    )
    terminal.enter('Build it')
    const running = await terminal.shows(/[123]\d* m?s of \d+ s █[^]*building/)
    await setup.expectScreen(running, 'call-running')
    const ended = await terminal.shows(/The build takes too long\.[^]*Ask something/)
    await setup.expectScreen(ended, 'call-timed-out')
    await untilNoneLeft(tag)
  })

  it('asks for a secret that never appears on the screen or in a file', async () => {
    const value = 'hunter2-8f3a6c1d9e'
    setup.script('deploy', 'echo "deployed with ${#DEPLOY_KEY} characters"', { secrets: ['DEPLOY_KEY'] })
    const { terminal } = await setup.start([call('script_deploy'), answer('Deployed.')], {
      ...size,
      args: '--allow script_deploy',
    })
    terminal.enter('Deploy it')
    await terminal.shows(/DEPLOY_KEY/)
    console.log(terminal.screen())
    terminal.type(value.slice(0, 9))
    await terminal.shows(/•{9}|\*{9}/)
    terminal.paste(value.slice(9))
    console.log(terminal.screen())
    terminal.press('Enter')
    await terminal.shows(/Deployed\./)
    console.log(terminal.screen())
  })

  it('/calls lists calls on a screen of its own, and the conversation is as it was', async () => {
    const { terminal } = await setup.start(
      [call('run_command', { command: 'seq 1 200' }), answer('I counted to 200.')],
      allowed,
    )
    terminal.enter('Count to 200')
    await terminal.shows(/I counted to 200\.[^]*Ask something/)
    const before = terminal.scrollback()
    terminal.enter('/calls')
    await terminal.shows(/./)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    console.log(terminal.screen())
    terminal.press('Enter')
    await new Promise((resolve) => setTimeout(resolve, 500))
    console.log(terminal.screen())
    terminal.press('Escape')
    await new Promise((resolve) => setTimeout(resolve, 500))
    console.log(terminal.screen())
    terminal.press('Escape')
    await new Promise((resolve) => setTimeout(resolve, 500))
    console.log(terminal.scrollback(), before)
  })
})
