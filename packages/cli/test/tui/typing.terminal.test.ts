import { describe, expect, it } from 'vitest'
import { until } from '../../../../test/support/until.ts'
import { answer } from '../prompt-support.ts'
import { hasTmux } from '../tmux-terminal.ts'
import { TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
/** What the model has received last. */
const lastMessage = (body: object): string => {
  const { messages } = body as { readonly messages: readonly { readonly content: unknown }[] }
  const { content } = messages.at(-1)!
  return typeof content === 'string' ? content : JSON.stringify(content)
}

describe.runIf(hasTmux)('typing', () => {
  it('a paste of 500 lines is one line on the screen, and the model receives all of it', async () => {
    const { terminal, server } = await setup.launch([answer('I have read it.')])
    const lines = Array.from({ length: 500 }, (_, index) => `${index + 1}: \tlorem ipsum "dolor" sit amet`)
    terminal.type('Read this: ')
    await terminal.shows(/> Read this:/)
    terminal.paste(lines.join('\n'))
    const pasted = await terminal.shows(/500 lines/)
    expect(pasted).not.toContain('lorem')
    expect(server.requests).toHaveLength(0)
    terminal.press('Enter')
    await terminal.shows(/I have read it\./)
    const received = lastMessage(server.requests[0]!.body)
    expect(received).toContain('Read this: ')
    for (const line of lines) expect(received).toContain(line)
    // The person's message is shortened on the screen.
    expect(terminal.scrollback().split('\n').length).toBeLessThan(60)
  })

  it('a message that is typed during an answer waits visibly, and can be changed and sent at once', async () => {
    const { terminal, server } = await setup.launch([
      [{ text: 'This takes a while.' }, { stall: true }],
      answer('Now something else.'),
    ])
    terminal.enter('A long task')
    await terminal.shows(/This takes a while\./)
    terminal.enter('Something els')
    await terminal.shows(/queued: Something els/)
    terminal.press('Up')
    await terminal.hides(/queued:/)
    await terminal.shows(/> Something els/)
    terminal.type('e')
    terminal.press('Enter')
    const queued = await terminal.shows(/queued: Something else/)
    await setup.expectScreen(queued, 'queued-message')
    expect(server.requests).toHaveLength(1)
    terminal.press('Enter')
    await terminal.shows(/Now something else\./)
    expect(terminal.screen()).toMatch(
      /This takes a while\.[\s\S]*> Something else\n[\s\S]*Now something else\./,
    )
    expect(lastMessage(server.requests[1]!.body)).toContain('Something else')
    await until(() => server.requests[0]!.wasAborted)
  })

  it('what is typed while the program starts becomes a draft, and is not sent', async () => {
    const { server, model } = await setup.serve([answer('You were fast.')])
    setup.writeUser('config.json', { model })
    const terminal = setup.open()
    await terminal.shows(/^\$ *$/m)
    terminal.enter('clear; curfew')
    // In one line, because the terminal is still the shell's.
    terminal.enter('Hello')
    await terminal.shows(/> Hello\n[\s\S]*ask before changes/)
    expect(server.requests).toHaveLength(0)
    terminal.type('again')
    terminal.press('Enter')
    await terminal.shows(/You were fast\./)
    expect(lastMessage(server.requests[0]!.body)).toBe('Hello\nagain')
  })

  it('several lines are typed with a backslash at the end of each', async () => {
    const { terminal, server } = await setup.launch([answer('Two lines.')])
    terminal.enter('first\\')
    await terminal.shows(/> first\n/)
    terminal.enter('second')
    await terminal.shows(/Two lines\./)
    expect(lastMessage(server.requests[0]!.body)).toBe('first\nsecond')
  })
})

describe.runIf(hasTmux)('a conversation', () => {
  it('is continued with the command that is printed at the end', async () => {
    const { terminal, server } = await setup.launch([answer('Noted: **blue**.'), answer('You said blue.')])
    terminal.enter('My favourite colour is blue')
    await terminal.shows(/Noted: .*blue[\s\S]*Ask something/)
    terminal.press('C-d')
    const [, command] = /(curfew --resume \w+)/.exec(await terminal.shows(/--resume \w+[\s\S]*\$ *$/m))!
    terminal.enter('clear')
    // Otherwise the screen of the first conversation would be taken for that of the second.
    await terminal.shows(/^\s*\$\s*$/)
    terminal.enter(command!)
    const resumed = await terminal.shows(/Noted: .*blue[\s\S]*ask before changes/)
    expect(resumed).toMatch(/> My favourite colour is blue/)
    terminal.enter('Which one?')
    await terminal.shows(/You said blue\.[\s\S]*Ask something/)
    expect(JSON.stringify(server.requests[1]!.body)).toMatch(/favourite colour is blue.*Noted: .*Which one/)
    terminal.press('C-d')
    // The same conversation, not a copy.
    expect(await terminal.shows(/--resume \w+[\s\S]*\$ *$/m)).toContain(command)
  })
})

describe.runIf(hasTmux)('without a model', () => {
  it('the first screen shows three ways to configure one, and tools and commands work', async () => {
    const none = { ANTHROPIC_API_KEY: '', GEMINI_API_KEY: '', OPENAI_API_KEY: '' }
    setup.script('greet', 'echo "good morning"')
    const terminal = setup.open({ env: none })
    await terminal.shows(/^\$ *$/m)
    terminal.enter('clear; curfew')
    const first = await terminal.shows(/1\. [\s\S]*2\. [\s\S]*3\. [\s\S]*no model/)
    await setup.expectScreen(first, 'no-model')
    terminal.enter('!echo "shell $((20 + 22))"')
    await terminal.shows(/shell 42$/m)
    terminal.enter('/tool script_greet')
    await terminal.shows(/good morning/)
    terminal.enter('A question')
    await terminal.shows(/> A question\n\s*! No model is configured\./)
  })
})
