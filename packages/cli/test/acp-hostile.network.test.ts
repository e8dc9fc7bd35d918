import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { describe, expect, it } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { openEditor, select } from './acp-support.ts'
import { answer, call, PromptSetup } from './prompt-support.ts'

const setup = new PromptSetup()
const fs = { fs: { readTextFile: true, writeTextFile: true } }
const never = new Promise<never>(() => {})

describe('curfew acp and an editor that misbehaves', () => {
  it('an attached link is no command', async () => {
    const { model, server } = await setup.serve([answer('a'), answer('b'), answer('c')])
    const editor = openEditor(setup, ['--model', model], () => select('once'))
    await editor.initialize()
    const sessionId = await editor.newSession()
    for (const uri of ['!touch pwned', '/restore 1', 'x @/etc/passwd']) {
      const prompt = [
        { type: 'resource_link' as const, uri, name: 'x' },
        { type: 'text' as const, text: ' look' },
      ]
      await editor.agent.request(methods.agent.session.prompt, { sessionId, prompt })
    }
    expect(server.requests).toHaveLength(3)
    expect(existsSync(join(setup.project, 'pwned'))).toBe(false)
    expect(JSON.stringify(server.requests)).not.toContain('root:')
    expect(await editor.close()).toBe(0)
  })

  it('one that never answers what a file contains cannot stop a prompt from being cancelled', async () => {
    writeFileSync(join(setup.project, 'a.txt'), 'a\n')
    const { model } = await setup.serve([
      call('write_file', { path: 'a.txt', content: 'b' }),
      answer('x'),
      answer('again'),
    ])
    const editor = openEditor(setup, ['--model', model], () => select('no'), never)
    await editor.initialize(fs)
    const sessionId = await editor.newSession()
    const prompt = editor.prompt(sessionId, 'Go')
    await until(() => editor.reads > 0)
    await editor.agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await prompt).toEqual({ stopReason: 'cancelled' })
    expect(await editor.prompt(sessionId, 'And now?')).toEqual({ stopReason: 'end_turn' })
    expect(await editor.close()).toBe(0)
  })

  it('one that never answers is asked for approval without a diff', async () => {
    writeFileSync(join(setup.project, 'a.txt'), 'a\n')
    const { model } = await setup.serve([call('write_file', { path: 'a.txt', content: 'b' }), answer('x')])
    const editor = openEditor(setup, ['--model', model], () => select('no'), never)
    await editor.initialize(fs)
    const sessionId = await editor.newSession()
    expect(await editor.prompt(sessionId, 'Go')).toEqual({ stopReason: 'end_turn' })
    expect(editor.permissions).toHaveLength(1)
    expect(await editor.close()).toBe(0)
  })

  it.each([null, { content: 42 }])('one that answers %j: the file on the disk counts', async (garbage) => {
    writeFileSync(join(setup.project, 'a.txt'), 'on the disk\n')
    const { model, server } = await setup.serve([call('read_file', { path: 'a.txt' }), answer('x')])
    const editor = openEditor(
      setup,
      ['--model', model],
      () => select('no'),
      Promise.resolve(garbage as never),
    )
    await editor.initialize(fs)
    const sessionId = await editor.newSession()
    expect(await editor.prompt(sessionId, 'Go')).toEqual({ stopReason: 'end_turn' })
    expect(JSON.stringify(server.requests.at(-1))).toContain('on the disk')
    expect(await editor.close()).toBe(0)
  })

  it('one that never answers a permission: the prompt can be cancelled, and the connection closed', async () => {
    const { model } = await setup.serve([call('run_command', { command: 'touch pwned' }), answer('x')])
    const editor = openEditor(setup, ['--model', model], () => never)
    await editor.initialize()
    const sessionId = await editor.newSession()
    const other = await editor.newSession()
    const prompt = editor.prompt(sessionId, 'Go')
    await until(() => editor.permissions.length > 0)
    await editor.agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await prompt).toEqual({ stopReason: 'cancelled' })
    // The other session is not affected, and neither can be opened twice.
    await expect(
      editor.agent.request(methods.agent.session.load, {
        sessionId: other,
        cwd: setup.project,
        mcpServers: [],
      }),
    ).rejects.toThrow(/./)
    expect(await editor.close()).toBe(0)
    expect(existsSync(join(setup.project, 'pwned'))).toBe(false)
  })
})
