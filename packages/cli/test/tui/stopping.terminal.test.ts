import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { left, newTag, untilNoneLeft } from '../../../../test/support/processes.ts'
import { until } from '../../../../test/support/until.ts'
import { answer, call } from '../prompt-support.ts'
import { hasTmux, type TmuxTerminal } from '../tmux-terminal.ts'
import { TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
/** A command that ignores what asks it to end, with a child. */
const stubborn = (tag: string): string => `trap '' INT TERM HUP; echo started; sleep ${tag} & sleep ${tag}`
const allowed = { args: '--allow run_command', columns: 120, rows: 30 }

describe.runIf(hasTmux)('ESC', () => {
  it('during a call ends its processes and the turn, and the next message is answered', async () => {
    const tag = newTag()
    const { terminal, server } = await setup.launch(
      [[{ text: 'I will wait.' }, ...call('run_command', { command: stubborn(tag) })], answer('I am back.')],
      allowed,
    )
    terminal.enter('Wait for me')
    await until(() => left(tag).length > 1)
    terminal.press('Escape')
    await terminal.shows(/Cancelled/)
    await untilNoneLeft(tag)
    terminal.enter('Are you still there?')
    await terminal.shows(/I am back\./)
    expect(server.requests).toHaveLength(2)
    expect(terminal.scrollback().match(/I will wait\./g)).toHaveLength(1)
  })

  it('while the model writes keeps what was received, once', async () => {
    const words = Array.from({ length: 400 }, (_, index) => [{ text: `word${index} ` }, { wait: 25 }])
    const { terminal, server } = await setup.launch([words.flat(), answer('As you like.')])
    terminal.enter('Count')
    await terminal.shows(/word30 /)
    terminal.press('Escape')
    await terminal.shows(/Cancelled/)
    await until(() => server.requests[0]!.wasAborted)
    terminal.enter('Enough')
    await terminal.shows(/As you like\./)
    const shown = terminal.scrollback().match(/word\d+/g)!
    expect(shown.length).toBeGreaterThan(30)
    expect(shown).toEqual(shown.map((_, index) => `word${index}`))
    // The model knows how far it got.
    expect(JSON.stringify(server.requests[1]!.body)).toMatch(/Count.*word0 word1 .*Enough/)
  })
})

describe.runIf(hasTmux)('Ctrl-C', () => {
  /** Two commands that run: one of the model, and one that the person typed. */
  async function startTwo(tag: string): Promise<TmuxTerminal> {
    const { terminal } = await setup.launch(
      [[{ text: 'I will wait.' }, ...call('run_command', { command: stubborn(`${tag}.1`) })]],
      allowed,
    )
    terminal.enter('Wait for me')
    await until(() => left(`${tag}.1`).length > 1)
    terminal.enter(`!${stubborn(`${tag}.2`)}`)
    await until(() => left(`${tag}.2`).length > 1)
    await terminal.shows(/^ {2}started\n[\s\S]*^ {2}started\n/m)
    return terminal
  }

  it('twice during work ends everything, and leaves the terminal as it was', async () => {
    const tag = newTag()
    const terminal = await startTwo(tag)
    terminal.press('C-c')
    await terminal.shows(/exit/)
    terminal.press('C-c')
    await terminal.shows(/curfew --resume/)
    await terminal.shows(/^\$ *$/m)
    await untilNoneLeft(tag)
    terminal.enter('stty -a | grep -ow -e "-*echo" -e "-*icanon" -e "-*isig"; cat -v')
    await terminal.shows(/^isig$/m)
    expect(terminal.screen()).toMatch(/^isig\nicanon\necho$/m)
    expect(terminal.cursor().isVisible).toBe(true)
    expect(terminal.get('alternate_on')).toBe('0')
    // A paste arrives without brackets.
    terminal.paste('pasted')
    terminal.press('Enter')
    expect(await terminal.shows(/pasted\npasted/)).not.toContain('200~')
  })

  it('once during work offers to cancel, to continue in the background, and to exit', async () => {
    const tag = newTag()
    const terminal = await startTwo(tag)
    terminal.press('C-c')
    const menu = await terminal.shows(/exit[\s\S]*2 running/)
    await setup.expectScreen(menu, 'interrupt-menu', { [tag]: '3153600000000000' })
    terminal.press('Escape')
    await terminal.hides(/background/)
    expect(left(tag).length).toBeGreaterThan(1)
    terminal.press('C-c')
    await terminal.shows(/exit/)
    terminal.press('c')
    await terminal.shows(/Cancelled/)
    await untilNoneLeft(tag)
  })

  it('then "background": the command goes on, and the model too', async () => {
    const tag = newTag()
    const { terminal, server } = await setup.launch(
      [call('run_command', { command: stubborn(tag) }), answer('It runs in the background.')],
      allowed,
    )
    terminal.enter('Start the server')
    await until(() => left(tag).length > 1)
    terminal.press('C-c')
    await terminal.shows(/exit/)
    terminal.press('b')
    await terminal.shows(/It runs in the background\./)
    await terminal.shows(/1 in background/)
    await terminal.hides(/Esc cancels/)
    expect(left(tag).length).toBeGreaterThan(1)
    expect(server.requests).toHaveLength(2)
    terminal.press('C-d')
    await terminal.shows(/curfew --resume/)
    await untilNoneLeft(tag)
  })

  it('at rest empties the input, and quits when it is pressed again', async () => {
    const { terminal } = await setup.launch([answer('Hello.')])
    terminal.type('A draft')
    await terminal.shows(/> A draft/)
    terminal.press('C-c')
    expect(await terminal.shows(/Press Ctrl-C again to quit/)).not.toMatch(/A draft/)
    terminal.press('C-c')
    expect(await terminal.shows(/^\$ *$/m)).not.toMatch(/--resume/)
  })
})

describe.runIf(hasTmux)('Ctrl-D', () => {
  it.each([
    ['on the screen', ''],
    ['in lines', '--screen-reader'],
  ])('while MCP servers start does not wait for them %s', async (_, args) => {
    const tag = newTag()
    const { model } = await setup.serve([])
    setup.writeUser('config.json', { model })
    setup.writeUser('mcp.json', { mcpServers: { silent: { command: 'sleep', args: [tag] } } })
    const terminal = setup.open()
    await terminal.shows(/^\$ *$/m)
    terminal.enter(`clear; curfew ${args}; echo "exit=$?"`)
    await until(() => left(tag).length > 0)
    terminal.press('C-d')
    expect(await terminal.shows(/exit=\d/)).toMatch(/exit=0/)
    expect(terminal.screen()).not.toMatch(/silent|abort/i)
    await untilNoneLeft(tag)
    // Servers that were waited for to the end are remembered there.
    expect(readdirSync(setup.home, { recursive: true }).join()).not.toContain('unresponsive-servers')
  })
})

describe.runIf(hasTmux)('Ctrl-Z', () => {
  it('returns to the shell, and fg to the conversation with its draft', async () => {
    const { terminal } = await setup.launch([answer('The first answer.')])
    terminal.enter('A question')
    await terminal.shows(/The first answer\./)
    terminal.type('A draft')
    await terminal.shows(/> A draft/)
    terminal.press('C-z')
    await terminal.shows(/Stopped/)
    expect(terminal.cursor().isVisible).toBe(true)
    terminal.enter('echo "shell $((20 + 22))"')
    await terminal.shows(/^shell 42$/m)
    terminal.enter('fg')
    await terminal.shows(/> A draft[\s\S]*ask before changes/)
    terminal.type(', continued')
    await terminal.shows(/> A draft, continued/)
    expect(terminal.scrollback().match(/The first answer\./g)).toHaveLength(1)
  })
})
