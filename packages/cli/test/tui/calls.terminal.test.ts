import { describe, expect, it } from 'vitest'
import { newTag, untilNoneLeft } from '../../../../test/support/processes.ts'
import { answer, call } from '../prompt-support.ts'
import { hasTmux, type TmuxTerminal } from '../tmux-terminal.ts'
import { asked, TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
const size = { columns: 90, rows: 30 }
const allowed = { ...size, args: '--allow run_command' }

describe.runIf(hasTmux)('a call', () => {
  it('that reaches its limit shows the time and the limit, then where the limit was set', async () => {
    const tag = newTag()
    setup.script('build', `echo compiling >&2; sleep ${tag}`, { timeout: 4 })
    const { terminal } = await setup.launch(
      [[{ text: 'I will build it.' }, ...call('script_build')], answer('The build takes too long.')],
      { ...size, args: '--allow script_build' },
    )
    terminal.enter('Build it')
    const running = await terminal.shows(/\b[123](\.\d)? s of 4 s █+░+[\s\S]*compiling[\s\S]*1 running/)
    await setup.expectScreen(running, 'call-running')
    const ended = await terminal.shows(/The build takes too long\.[\s\S]*Ask something/)
    expect(ended).toMatch(/✗ script_build[\s\S]*TOOL_TIMEOUT[\s\S]*limit is 4 s/)
    await setup.expectScreen(ended, 'call-timed-out')
    await untilNoneLeft(tag)
  })

  it('asks for a secret that never appears on the screen or in a file', async () => {
    const value = 'hunter2-8f3a6c1d9e'
    const body = `echo "used a key of $(printf %s "$DEPLOY_KEY" | wc -c) characters"`
    setup.script('deploy', body, { secrets: ['DEPLOY_KEY'] })
    const { terminal, server } = await setup.launch([call('script_deploy'), answer('Deployed.')], {
      // Wide, so that the lines of the fixture do not depend on the length of the project's path.
      columns: 160,
      rows: 30,
      args: '--allow script_deploy',
    })
    const screens: string[] = []
    const look = (): void => void screens.push(terminal.styledScreen(), terminal.scrollback())
    terminal.enter('Deploy it')
    await asked(terminal, /Secret DEPLOY_KEY/)
    terminal.type(value.slice(0, 9))
    await terminal.shows(/❯ •{9}/)
    look()
    terminal.paste(value.slice(9))
    const masked = await terminal.shows(new RegExp(`❯ •{${value.length}}`))
    await setup.expectScreen(masked, 'secret')
    look()
    terminal.press('Enter')
    await terminal.shows(/Deployed\.[\s\S]*Ask something/)
    look()
    // It was used, and nobody has seen it.
    expect(JSON.stringify(server.requests[1]!.body)).toContain(`a key of ${value.length} characters`)
    terminal.press('C-d')
    await terminal.shows(/--resume/)
    look()
    const seen = [...screens, setup.stored(), JSON.stringify(server.requests)]
    for (const part of [value, value.slice(0, 9), value.slice(9)])
      expect(seen.filter((text) => text.includes(part))).toEqual([])
    // What was typed before and after is in the history.
    expect(setup.stored()).toContain('Deploy it')
  })
})

describe.runIf(hasTmux)('/calls', () => {
  it('lists all calls on a screen of its own, and leaves the conversation as it was', async () => {
    const { terminal } = await setup.launch(
      [
        [{ text: 'First I count.' }, ...call('run_command', { command: 'seq 1 200' })],
        call('read_file', { path: 'missing.txt' }),
        [{ text: 'Now I wait.' }, ...call('run_command', { command: 'echo waiting; sleep 600' })],
      ],
      allowed,
    )
    terminal.enter('Count to 200, then wait')
    await terminal.shows(/^ {2}waiting$/m)
    const before = conversation(terminal)
    terminal.press('C-o')
    // It opens with the running call.
    await terminal.shows(/Calls +3[\s\S]*"command": "echo waiting[\s\S]*^waiting$/m)
    expect(terminal.get('alternate_on')).toBe('1')
    terminal.press('Enter')
    const list = await terminal.shows(/seq 1 200[\s\S]*missing\.txt[\s\S]*echo waiting/)
    await setup.expectScreen(list, 'calls-list')
    terminal.press('Up', 'Up', 'Enter')
    const expanded = await terminal.shows(/allowed by[\s\S]*seq 1 200[\s\S]*Result[\s\S]*^ *1$/m)
    await setup.expectScreen(expanded, 'calls-expanded')
    terminal.press('q')
    await terminal.shows(/Esc cancels/)
    expect(terminal.get('alternate_on')).toBe('0')
    expect(conversation(terminal)).toBe(before)
    terminal.press('Escape')
    await terminal.shows(/Cancelled/)
  })
})

/** What is above the running call. */
function conversation(terminal: TmuxTerminal): string {
  const [above] = terminal.scrollback().split('Now I wait.')
  return above!
}
