import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { newTag } from '../../../test/support/processes.ts'
import { answer, call, PromptSetup } from './prompt-support.ts'
import { ending } from './run-curfew.ts'
import { eventually, hasTerminalShell, processesWith, TerminalShell } from './terminal-shell.ts'

const setup = new PromptSetup()
/** Generous, because the machine may be busy; a call that is not cancelled takes minutes. */
const promptlyMs = 10_000

const numbers = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }

describe.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s', (signal) => {
  it('ends a call and everything that it started', async () => {
    const tag = newTag()
    setup.script(
      'tree',
      `trap '' TERM INT HUP\n(setsid sleep ${tag} &)\nsleep ${tag} &\ntouch '${setup.project}/started'\nwait`,
    )
    const { model } = await setup.serve([call('script_tree', { text: 'x' }), answer('never')])
    const child = setup.start(['-p', 'Go', '--yes', '--output', 'json', '--model', model])
    const ended = ending(child)
    await eventually('the script has started', () => existsSync(join(setup.project, 'started')))
    const sentAt = Date.now()
    child.kill(signal)
    const { code, stdout } = await ended
    expect(code).toBe(numbers[signal])
    expect(Date.now() - sentAt).toBeLessThan(promptlyMs)
    expect(JSON.parse(stdout)).toMatchObject({ reason: 'abort', calls: [{ status: 'cancelled' }] })
    expect([...processesWith(`sleep ${tag}`)]).toEqual([])
  })

  it('ends a request to a model that does not respond', async () => {
    const { model, server } = await setup.serve([[{ stall: true }]])
    const child = setup.start(['-p', 'Go', '--model', model])
    const ended = ending(child)
    await eventually('the request has arrived', () => server.openResponses === 1)
    child.kill(signal)
    expect(await ended).toMatchObject({ code: numbers[signal], stdout: '', stderr: 'curfew: interrupted\n' })
    await eventually('the connection is closed', () => server.openResponses === 0)
  })

  it('ends the start of a server that does not respond', async () => {
    const tag = newTag()
    setup.writeUser('mcp.json', { mcpServers: { silent: { command: 'sleep', args: [tag] } } })
    const { model } = await setup.serve([answer('ok')])
    const child = setup.start(['-p', 'Go', '--model', model])
    const ended = ending(child)
    await eventually('the server has started', () => processesWith(`sleep ${tag}`).size > 0)
    child.kill(signal)
    expect(await ended).toMatchObject({ code: numbers[signal], stdout: '' })
    await eventually('the server has ended', () => processesWith(`sleep ${tag}`).size === 0)
  })

  it('ends the wait for standard input', async () => {
    const { model } = await setup.serve([answer('ok')])
    const child = setup.start(['-p', 'Go', '--model', model], 'pipe')
    const ended = ending(child)
    // More than a pipe holds, so it is being read once all is written.
    await new Promise((resolve) => child.stdin!.write('x'.repeat(1_000_000), resolve))
    child.kill(signal)
    expect(await ended).toMatchObject({ code: numbers[signal] })
  })
})

describe.runIf(hasTerminalShell())('on a terminal', () => {
  it('Ctrl-C ends the turn with 130, and the terminal is usable', async () => {
    setup.script('slow', `touch '${setup.project}/started'; sleep 100`)
    const { model } = await setup.serve([call('script_slow', { text: 'x' }), answer('never')])
    const shell = await TerminalShell.open(setup.project, setup.environment())
    try {
      shell.type(`curfew -p Go --yes --model ${model}; echo "code=$?"`)
      await eventually('the script has started', () => existsSync(join(setup.project, 'started')))
      shell.press('Ctrl-C')
      expect(await shell.shows(/code=\d+/)).toMatch(
        /✗ script_slow .*CANCELLED[\s\S]*interrupted[\s\S]*code=130/,
      )
    } finally {
      await shell.close()
    }
  })
})
