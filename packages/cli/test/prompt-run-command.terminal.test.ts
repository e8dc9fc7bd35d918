import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkSandbox } from '@curfew/agent/tools'
import { describe, expect, it } from 'vitest'
import { canTest, hasProgram } from '../../../test/support/can-test.ts'
import { left, newTag, untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { answer, call, linesOf, PromptSetup } from './prompt-support.ts'
import { ending } from './run-curfew.ts'
import { hasTerminalShell, TerminalShell } from './terminal-shell.ts'

const setup = new PromptSetup()

/** What the model was told about its calls. */
const results = (body: unknown): string => JSON.stringify(body)

describe('run_command in curfew -p', () => {
  it('is denied without approval, and runs with a rule that matches each command', async () => {
    const script = [
      call('run_command', { command: 'echo one > a' }),
      call('run_command', { command: 'echo two' }),
      answer('done'),
    ]
    const { server, code } = await setup.prompt(
      script,
      '-p',
      'Go',
      '--mode',
      'accept-edits',
      '--allow',
      'run_command(echo *)',
    )
    expect(code).toBe(0)
    expect(existsSync(join(setup.project, 'a'))).toBe(false)
    const last = results(server.requests.at(-1))
    expect(last).toContain('DENIED')
    expect(last).toContain('exit code 0')
  })

  it('cannot change permissions, even with --yes', async () => {
    setup.write('config.json', { approval: 'ask' })
    const script = [
      call('run_command', { command: `echo '{"approval":"allow"}' > .curfew/config.json` }),
      call('run_command', { command: 'cat > .git/hooks/pre-commit' }),
      answer('done'),
    ]
    const { server } = await setup.prompt(script, '-p', 'Go', '--yes')
    expect(results(server.requests.at(-1))).toContain('needs the approval of a person')
    expect(readFileSync(join(setup.project, '.curfew/config.json'), 'utf8')).toBe('{"approval":"ask"}')
  })

  it('leaves nothing in the background when the conversation ends', async () => {
    const tag = newTag()
    const script = [
      call('run_command', { command: `(setsid sleep ${tag} &); sleep ${tag}`, background: true }),
      answer('started'),
    ]
    const { stdout, code } = await setup.prompt(script, '-p', 'Go', '--yes')
    expect([code, stdout.trim()]).toEqual([0, 'started'])
    await untilNoneLeft(tag)
  })

  it.each(['SIGINT', 'SIGKILL'] as const)('nor after %s', async (signal) => {
    const tag = newTag()
    const { model } = await setup.serve([
      call('run_command', { command: `(env -i setsid sleep ${tag} &); sleep ${tag}`, background: true }),
      [{ stall: true }],
    ])
    const child = setup.start(['-p', 'Go', '--yes', '--model', model])
    const ended = ending(child)
    await until(() => left(tag).length >= 2)
    child.kill(signal)
    await ended
    await untilNoneLeft(tag)
  })

  it('answers ask_user and keeps todos without approval', async () => {
    const script = [
      call('ask_user', { question: 'Which?' }),
      call('write_todos', { todos: [{ task: 'a', status: 'pending' }] }),
      answer('done'),
    ]
    const { server } = await setup.prompt(script, '-p', 'Go')
    const last = results(server.requests.at(-1))
    expect(last).toContain('Decide yourself')
    expect(last).toContain('0 of 1 completed')
  })
})

describe.runIf(hasTerminalShell())('on a terminal', () => {
  it('!command runs with run_command', async () => {
    const { model } = await setup.serve([])
    const shell = await TerminalShell.open(setup.project, setup.environment())
    try {
      shell.type(`curfew -p '!echo ty"ped"; exit 3' --model ${model}; echo "code=$?"`)
      expect(await shell.shows(/code=\d+/)).toMatch(/\[exit code 3 after .*\]\s+typed/)
    } finally {
      await shell.close()
    }
  })
})

const isPossible = hasProgram('bwrap') && canTest(await checkSandbox('workspace'))

describe('the setting sandbox', () => {
  it.runIf(isPossible)('applies to commands, and hides Curfew’s own files', async () => {
    setup.writeUser('config.json', { sandbox: 'workspace' })
    // Written out, the name of the folder would need the approval of a person.
    const command = 'touch made; touch ~/outside; own=curfew; ls ~/.config/$own | wc -l'
    const { server } = await setup.prompt(
      [call('run_command', { command }), answer('done')],
      '-p',
      'Go',
      '--yes',
      '--output',
      'stream-json',
    )
    expect(results(server.requests.at(-1))).toMatch(/\[exit code 0 after [^\]]*\]\\n0"/)
    expect(existsSync(join(setup.project, 'made'))).toBe(true)
    expect(readdirSync(setup.home)).not.toContain('outside')
  })

  it('fails closed if it cannot be read', async () => {
    setup.writeUser('config.json', { sandbox: 'workspce' })
    const ended = await setup.prompt(
      [call('run_command', { command: 'touch ~/outside' }), answer('done')],
      '-p',
      'Go',
      '--yes',
      '--output',
      'stream-json',
    )
    expect(linesOf(ended).length).toBeGreaterThan(0)
    expect(readdirSync(setup.home)).not.toContain('outside')
  })
})
