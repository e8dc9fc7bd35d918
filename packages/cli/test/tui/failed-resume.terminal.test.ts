import { describe, expect, it } from 'vitest'
import { answer } from '../prompt-support.ts'
import { hasTmux } from '../tmux-terminal.ts'
import { TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()

describe.runIf(hasTmux)('/resume with an id that does not exist', () => {
  it('leaves the conversation as it was', async () => {
    const { terminal, server } = await setup.launch([answer('First answer.'), answer('Second answer.')])
    terminal.enter('My first question')
    await terminal.shows(/First answer\./)
    terminal.enter('/resume 20200101-000000-abc')
    await terminal.shows(/expected the id of a saved session/)
    terminal.enter('My second question')
    await terminal.shows(/Second answer\./)
    expect(JSON.stringify(server.requests[1]!.body)).toContain('My first question')
  })
})
