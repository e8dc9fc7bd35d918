import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { until } from '../../../../test/support/until.ts'
import { answer, call } from '../prompt-support.ts'
import { hasTmux } from '../tmux-terminal.ts'
import { asked, TerminalSetup } from './terminal-setup.ts'

const setup = new TerminalSetup()
const size = { columns: 90, rows: 40 }

describe.runIf(hasTmux)('an approval', () => {
  it('shows the diff and the answers, and the file changes only after the answer', async () => {
    const file = join(setup.project, 'limits.ts')
    const before = "export const limits = {\n  calls: 100,\n  timeout: '5m',\n  depth: 3,\n}\n"
    writeFileSync(file, before)
    const edits = [{ old_string: "timeout: '5m'", new_string: "timeout: '90s'" }]
    const { terminal } = await setup.launch(
      [
        [{ text: 'Let me see.' }, ...call('read_file', { path: 'limits.ts' })],
        [{ text: 'I will change one line.' }, ...call('edit_file', { path: 'limits.ts', edits })],
        answer('Done: the timeout is **90 seconds** now.'),
      ],
      size,
    )
    terminal.enter('Set the timeout to 90 seconds')
    const question = await asked(terminal, /-.*timeout: '5m'[\s\S]*\+.*timeout: '90s'/)
    await setup.expectScreen(question, 'approval-with-diff')
    expect(readFileSync(file, 'utf8')).toBe(before)
    terminal.press('y')
    const after = await terminal.shows(/Done: the timeout is 90 seconds now\.[\s\S]*Ask something/)
    await setup.expectScreen(after, 'approval-answered')
    expect(readFileSync(file, 'utf8')).toContain("timeout: '90s'")
  })

  it('is not answered by keys that were typed before it appeared', async () => {
    let appear = (): void => {}
    const appeared = new Promise<void>((resolve) => {
      appear = resolve
    })
    const { terminal, server } = await setup.launch(async (_, index) => {
      if (index === 1) return answer('I did not.')
      await appeared
      return call('write_file', { path: 'new.txt', content: 'new\n' })
    }, size)
    terminal.enter('Write a file')
    await until(() => server.requests.length === 1)
    // As if someone wrote the next message when the question appears.
    terminal.type('yes, y')
    appear()
    for (const letter of 'ou can do that, 1 2 3 yyy') terminal.type(letter)
    await terminal.shows(/Approval/)
    terminal.type(' y')
    const during = await terminal.shows(/> yes, you can do that, 1 2 3 yyy y$/m)
    expect(during).toMatch(/Approval/)
    expect(existsSync(join(setup.project, 'new.txt'))).toBe(false)
    // Before that, it could be meant for the draft.
    await sleep(1_000)
    terminal.press('Tab')
    await asked(terminal, /Approval/)
    terminal.press('n')
    await terminal.shows(/Why not/)
    terminal.press('Enter')
    await terminal.shows(/I did not\./)
    // The draft is still there.
    await terminal.shows(/> yes, you can do that, 1 2 3 yyy y$/m)
    expect(existsSync(join(setup.project, 'new.txt'))).toBe(false)
  })

  it('of several calls is numbered, and "no" answers one of them', async () => {
    const write = (name: string) => call('write_file', { path: name, content: `${name}\n` })
    const { terminal, server } = await setup.launch(
      [[...write('a.txt'), ...write('b.txt'), ...write('c.txt')], answer('Two of three.')],
      size,
    )
    terminal.enter('Write three files')
    await asked(terminal, /1 of 3[\s\S]*a\.txt/)
    terminal.press('y')
    await asked(terminal, /2 of 3[\s\S]*b\.txt/)
    terminal.press('n')
    await terminal.shows(/Why not/)
    terminal.enter('Not that one.')
    await asked(terminal, /3 of 3[\s\S]*c\.txt/)
    terminal.press('y')
    await terminal.shows(/Two of three\./)
    expect(['a', 'b', 'c'].map((name) => existsSync(join(setup.project, `${name}.txt`)))).toEqual([
      true,
      false,
      true,
    ])
    expect(JSON.stringify(server.requests[1]!.body)).toContain('Not that one.')
  })

  it('"always" shows what it will allow, before it is added', async () => {
    const run = (command: string) => call('run_command', { command })
    const { terminal } = await setup.launch(
      [run('echo one'), run('echo one'), run('echo two > file.txt'), answer('All done.')],
      size,
    )
    terminal.enter('Run them')
    await asked(terminal, /always.*echo one/)
    terminal.press('a')
    const rule = await terminal.shows(/Enter: allow/)
    expect(rule).toMatch(/echo one/)
    // It has to be readable for a moment.
    await sleep(1_000)
    terminal.press('Enter')
    // The same command is not asked about again, another one is.
    const next = await asked(terminal, /echo two > file\.txt/)
    expect(next.match(/✓ .*echo one/g)).toHaveLength(2)
    terminal.press('s')
    await terminal.hides(/Approval/)
    expect(existsSync(join(setup.project, 'file.txt'))).toBe(false)
  })

  it('depends on the mode, which Shift+Tab changes', async () => {
    const write = (name: string) => call('write_file', { path: name, content: `${name}\n` })
    const { terminal } = await setup.launch(
      [write('a.txt'), answer('I wrote it.'), write('b.txt'), answer('I may not write.')],
      size,
    )
    await terminal.shows(/ask before changes/)
    terminal.press('BTab')
    await terminal.shows(/edits allowed/)
    terminal.enter('Write a file')
    expect(await terminal.shows(/I wrote it\./)).not.toMatch(/Approval/)
    expect(existsSync(join(setup.project, 'a.txt'))).toBe(true)
    terminal.press('BTab')
    await terminal.shows(/plan only/)
    terminal.enter('Write another one')
    await terminal.shows(/✗ write_file b\.txt[\s\S]*I may not write\./)
    expect(existsSync(join(setup.project, 'b.txt'))).toBe(false)
    terminal.press('BTab')
    await terminal.shows(/ask before changes/)
  })
})
