import { describe, expect, it } from 'vitest'
import { answer } from '../prompt-support.ts'
import { hasTmux } from '../tmux-terminal.ts'
import { asked, TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
const passphrase = 'correct-horse-battery'
/** Nothing but a person knows the passphrase. */
const env = { CURFEW_PASSPHRASE: '' }

describe.runIf(hasTmux)('the passphrase of the secrets', () => {
  it.each([
    ['on the screen', ''],
    ['in lines', '--screen-reader'],
  ])('is for nobody else %s', async (_, args) => {
    const { server, model } = await setup.serve([answer('Fine.')])
    setup.writeUser('config.json', { model })
    const terminal = setup.open({ env })
    await terminal.shows(/^\$ *$/m)
    terminal.enter(`clear; curfew ${args}`)
    await terminal.shows(/ask before changes|^> ?$/m)
    terminal.enter('/secret MY_TOKEN')
    await terminal.shows(/Enter: store|MY_TOKEN: ?$/m)
    // On the screen, Enter counts only after a moment, but what is typed before that belongs to the secret.
    terminal.type('hunter2-hunter2')
    if (args === '') await asked(terminal, /•{10}/)
    else await terminal.shows(/•{10}/)
    terminal.press('Enter')
    await terminal.shows(/New passphrase: ?$/m)
    terminal.enter(passphrase)
    await terminal.shows(/Repeat passphrase: ?$/m)
    terminal.enter(passphrase)
    await terminal.shows(/MY_TOKEN.*is stored/)
    terminal.enter('Hello')
    await terminal.shows(/Fine\./)
    expect(server.requests).toHaveLength(1)
    expect(JSON.stringify(server.requests[0]!.body)).not.toContain(passphrase)
    for (const secret of [passphrase, 'hunter2']) {
      expect(terminal.scrollback()).not.toContain(secret)
      expect(setup.stored()).not.toContain(secret)
    }
  })
})
