import { describe, expect, it } from 'vitest'
import { answer } from '../prompt-support.ts'
import { hasTmux } from '../tmux-terminal.ts'
import { TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()

describe.runIf(hasTmux)('when the model fails', () => {
  it('a rate limit is shown with its cause, the time until the next attempt, and how many there will be', async () => {
    const { terminal, server } = await setup.launch([
      { error: 'rate-limit', headers: { 'retry-after': '3' } },
      answer('Here I am.'),
    ])
    terminal.enter('Are you there?')
    const waiting = await terminal.shows(/attempt 2 of 5 in [123] s: the rate limit/)
    await setup.expectScreen(waiting, 'rate-limit')
    const after = await terminal.shows(/Here I am\./)
    expect(after).not.toMatch(/attempt/)
    expect(server.requests).toHaveLength(2)
  })

  it('ESC ends the wait for the next attempt', async () => {
    const { terminal, server } = await setup.launch([
      { error: 'rate-limit', headers: { 'retry-after': '60' } },
    ])
    terminal.enter('Are you there?')
    await terminal.shows(/attempt 2 of \d+ in/)
    terminal.press('Escape')
    expect(await terminal.shows(/Cancelled/)).not.toMatch(/attempt/)
    expect(server.requests).toHaveLength(1)
  })

  it('a key that is not accepted is reported at once', async () => {
    const { terminal, server } = await setup.launch([{ error: 'auth' }, answer('never')])
    terminal.enter('Are you there?')
    const screen = await terminal.shows(/✗ [\s\S]*> Ask something/)
    expect(screen).toMatch(/401|key/)
    await setup.expectScreen(screen, 'key-not-accepted')
    expect(screen).not.toMatch(/attempt \d|never/)
    expect(server.requests).toHaveLength(1)
  })

  it('the text of a response that was cut off stays, is not repeated, and can be continued', async () => {
    const { terminal, server } = await setup.launch([
      [{ text: 'Once upon a time, ' }, { wait: 300 }, { drop: true }],
      answer('there was a terminal.'),
    ])
    terminal.enter('Tell me a story')
    const cut = await terminal.shows(/✗ .*connection/)
    expect(cut).toMatch(/^Once upon a time,/m)
    expect(server.requests).toHaveLength(1)
    terminal.enter('Go on')
    await terminal.shows(/^there was a terminal\./m)
    expect(terminal.scrollback().match(/Once upon a time/g)).toHaveLength(1)
    expect(JSON.stringify(server.requests[1]!.body)).toMatch(/Tell me a story.*Once upon a time.*Go on/)
  })
})
