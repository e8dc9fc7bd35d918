import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { loggedLines, recordedCalls, recordedRuns } from '../../../test/support/read-recording.ts'
import { openEditor, select } from './acp-support.ts'
import { answer, call, PromptSetup } from './prompt-support.ts'
import { hasTerminal, runInTerminal } from './run-in-terminal.ts'

const setup = new PromptSetup()
const state = (): string => join(setup.home, '.local', 'state')
const rest = call('sleep', { seconds: 0.01 })
const sessions = async (): Promise<string[]> =>
  JSON.parse((await setup.run('sessions', '--json')).stdout).sessions.map(({ id }: { id: string }) => id)

describe('curfew -p', () => {
  it('records calls with the session', async () => {
    await setup.prompt([rest, answer('Rested.')], '-p', 'Rest')
    const [session] = await sessions()
    expect(session).toMatch(/./)
    expect(recordedCalls(state())).toMatchObject([
      { program: 'prompt', tool: 'sleep', session, status: 'success', isEnded: true },
    ])
  })

  it('a conversation that is not saved has no session', async () => {
    await setup.prompt([rest, answer('Rested.')], '-p', 'Rest', '--no-session')
    expect(recordedCalls(state())).toMatchObject([{ tool: 'sleep', session: null }])
  })

  it('a run that cannot start closes the journal', async () => {
    const { code } = await setup.run('-p', 'Rest', '--add-dir', '/nonexistent')
    expect(code).toBe(2)
    expect(recordedRuns(state()).filter(({ isEnded }) => !isEnded)).toEqual([])
  })
})

describe.runIf(hasTerminal)('curfew on a terminal', () => {
  it('records calls with the session, which changes with /clear, in one run', async () => {
    const { model } = await setup.serve([rest, answer('First.'), rest, answer('Second.')])
    const type =
      (text: string) =>
      async (write: (text: string) => void): Promise<void> =>
        write(text)
    const { code } = await runInTerminal(
      ['--screen-reader', '--model', model],
      setup.environment(),
      setup.project,
      [
        [/\n> $/, type('Rest\n')],
        [/First\.[^>]*\n> $/, type('/clear\n')],
        [/\/clear[^>]*\n> $/, type('Rest\n')],
        [/Second\.[^>]*\n> $/, type('/quit\n')],
      ],
    )
    expect(code).toBe(0)
    const calls = recordedCalls(state())
    const saved = await sessions()
    expect(calls.map(({ program, isEnded }) => [program, isEnded])).toEqual([
      ['terminal', true],
      ['terminal', true],
    ])
    expect(calls.map(({ id }) => id.split('-'))).toEqual([
      [expect.any(String), '1'],
      [calls[0]!.id.split('-')[0], '2'],
    ])
    expect(calls.map(({ session }) => session).sort()).toEqual(saved.sort())
    expect(new Set(saved).size).toBe(2)
    expect(loggedLines(state()).map(({ program, msg }) => [program, msg])).toEqual([
      ['terminal', 'started'],
      ['terminal', 'ended'],
    ])
  })
})

describe('curfew acp', () => {
  it('records calls with the session', async () => {
    const served = await setup.serve([rest, answer('Rested.')])
    const editor = openEditor(setup, ['--model', served.model], () => select('once'))
    await editor.initialize()
    setup.script('rest', 'sleep 0.01')
    const session = await editor.newSession()
    await editor.prompt(session, 'Rest')
    await editor.close()
    expect(recordedCalls(state())).toMatchObject([{ program: 'acp', session, isEnded: true }])
  })
})
