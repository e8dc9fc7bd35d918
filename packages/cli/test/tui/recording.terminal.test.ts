import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loggedLines, recordedCalls } from '../../../../test/support/read-recording.ts'
import { until } from '../../../../test/support/until.ts'
import { answer, call } from '../prompt-support.ts'
import { hasTmux } from '../tmux-terminal.ts'
import { TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
const rest = call('sleep', { seconds: 0.01 })

describe.runIf(hasTmux)('the terminal', () => {
  it('records calls with their session, which changes with /clear, and closes the journal at the end', async () => {
    const { terminal } = await setup.launch([rest, answer('First.'), rest, answer('Second.')])
    const state = join(setup.home, '.local', 'state')
    terminal.enter('Rest')
    await terminal.shows(/First\./)
    terminal.enter('/clear')
    await until(() => recordedCalls(state)[0]?.status === 'success')
    terminal.enter('Rest')
    await terminal.shows(/Second\./)
    terminal.enter('/quit')
    await until(() => recordedCalls(state)[1]?.isEnded === true)
    const [first, second] = recordedCalls(state)
    expect([first, second]).toMatchObject([{ program: 'terminal' }, { program: 'terminal' }])
    expect([first!.id.slice(-2), second!.id]).toEqual(['-1', first!.id.replace(/1$/, '2')])
    expect(first!.session).not.toBe(second!.session)
    await until(() => loggedLines(state).length === 2)
    expect(loggedLines(state).map(({ msg }) => msg)).toEqual(['started', 'ended'])
  })
})
