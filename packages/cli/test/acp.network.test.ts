import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { methods } from '@agentclientprotocol/sdk'
import { beforeEach, describe, expect, it } from 'vitest'
import { type Editor, openEditor, select } from './acp-support.ts'
import { answer, call, PromptSetup, problemsOf } from './prompt-support.ts'

const setup = new PromptSetup()
const wasRun = (): boolean => existsSync(join(setup.project, 'touched'))

beforeEach(() => {
  setup.script('touch', `touch '${setup.project}/touched'; echo touched`)
  setup.script('hang', 'echo started; exec sleep 600')
})

const calls = ({ updates }: Editor) =>
  updates.flatMap((update) =>
    update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update' ? [update] : [],
  )

async function until(condition: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 60_000; !condition(); await new Promise((done) => setTimeout(done, 20)))
    if (Date.now() > deadline) throw new Error('the condition was not met in time')
}

describe('curfew acp', () => {
  it('a conversation with a permission: the call is announced, asked about, runs and ends', async () => {
    const served = await setup.serve([call('script_touch', { text: 'a' }), answer('Done.')])
    const editor = openEditor(setup, ['--model', served.model], () => select('once'))
    expect(await editor.initialize()).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'curfew' },
      agentCapabilities: { loadSession: true },
    })
    const sessionId = await editor.newSession()
    expect(await editor.prompt(sessionId, 'Touch it')).toEqual({ stopReason: 'end_turn' })
    expect(editor.text()).toBe('Done.')
    expect(wasRun()).toBe(true)
    const [permission] = editor.permissions
    expect(permission!.options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
      ['once', 'allow_once'],
      ['turn', 'allow_always'],
      ['always', 'allow_always'],
      ['no', 'reject_once'],
      ['stop', 'reject_always'],
    ])
    expect(permission!.options[2]!.name).toBe('Yes, always: script_touch(a)')
    const [first, ...rest] = calls(editor)
    expect(first).toMatchObject({
      sessionUpdate: 'tool_call',
      toolCallId: permission!.toolCall.toolCallId,
      title: 'script_touch a',
      kind: 'execute',
      status: 'pending',
      rawInput: { text: 'a' },
    })
    expect(rest.map(({ status }) => status ?? null)).toContain('in_progress')
    expect(rest.at(-1)).toMatchObject({ status: 'completed' })
    expect(JSON.stringify(rest.at(-1))).toContain('touched')
    expect(problemsOf(served)).toEqual([])
    expect(await editor.close()).toBe(0)
  })

  it.each([
    ['no', 'DENIED', 'end_turn'],
    ['stop', 'CANCELLED', 'cancelled'],
    ['not an option', 'DENIED', 'end_turn'],
  ])('the answer %s', async (optionId, code, stopReason) => {
    const { model } = await setup.serve([call('script_touch', { text: 'a' }), answer('Done.')])
    const editor = openEditor(setup, ['--model', model], () => select(optionId))
    await editor.initialize()
    const sessionId = await editor.newSession()
    expect(await editor.prompt(sessionId, 'Touch it')).toEqual({ stopReason })
    expect(wasRun()).toBe(false)
    expect(calls(editor).at(-1)).toMatchObject({ status: 'failed', _meta: { 'curfew/code': code } })
    await editor.close()
  })

  it('cancel ends a hanging call and the prompt; the session can go on', async () => {
    const { model } = await setup.serve([call('script_hang'), answer('Still here.')])
    const editor = openEditor(setup, ['--model', model, '--set', 'approval=allow'])
    await editor.initialize()
    const sessionId = await editor.newSession()
    const prompt = editor.prompt(sessionId, 'Hang')
    await until(() => JSON.stringify(calls(editor)).includes('started'))
    await editor.agent.notify(methods.agent.session.cancel, { sessionId })
    expect(await prompt).toEqual({ stopReason: 'cancelled' })
    expect(calls(editor).at(-1)).toMatchObject({ status: 'failed', _meta: { 'curfew/code': 'CANCELLED' } })
    expect(await editor.prompt(sessionId, 'And now?')).toEqual({ stopReason: 'end_turn' })
    expect(editor.text()).toBe('Still here.')
    expect(await editor.close()).toBe(0)
  })

  it('an editor that goes away during a call leaves nothing running', async () => {
    const { model } = await setup.serve([call('script_hang'), answer('never')])
    setup.script('hang', `echo $$ > '${setup.project}/pid'; exec sleep 600`)
    const editor = openEditor(setup, ['--model', model, '--set', 'approval=allow'])
    await editor.initialize()
    const sessionId = await editor.newSession()
    editor.prompt(sessionId, 'Hang').catch(() => {})
    await until(() => existsSync(join(setup.project, 'pid')))
    await editor.close()
    const pid = readFileSync(join(setup.project, 'pid'), 'utf8').trim()
    await until(() => !existsSync(`/proc/${pid}`))
  })

  it('modes: plan denies, and the editor is told about a change', async () => {
    const { model } = await setup.serve([call('script_touch'), answer('Planned.')])
    const editor = openEditor(setup, ['--model', model])
    await editor.initialize()
    const { sessionId, modes } = await editor.agent.request(methods.agent.session.new, {
      cwd: setup.project,
      mcpServers: [],
    })
    expect(modes).toMatchObject({ currentModeId: 'ask' })
    expect(modes!.availableModes.map(({ id }) => id)).toEqual(['plan', 'ask', 'accept-edits'])
    await editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'plan' })
    await editor.prompt(sessionId, 'Touch it')
    expect(wasRun()).toBe(false)
    expect(editor.permissions).toEqual([])
    expect(editor.updates).toContainEqual({ sessionUpdate: 'current_mode_update', currentModeId: 'plan' })
    await expect(
      editor.agent.request(methods.agent.session.setMode, { sessionId, modeId: 'yolo' }),
    ).rejects.toThrow(/expected one of plan, ask, accept-edits/)
    await editor.close()
  })

  it('slash commands are listed and run without a model', async () => {
    const editor = openEditor(setup, [])
    await editor.initialize()
    const sessionId = await editor.newSession()
    await until(() =>
      editor.updates.some(({ sessionUpdate }) => sessionUpdate === 'available_commands_update'),
    )
    expect(await editor.prompt(sessionId, '/tools script_touch')).toEqual({ stopReason: 'end_turn' })
    expect(editor.text()).toContain('script_touch')
    await expect(editor.prompt(sessionId, 'Hello')).rejects.toThrow(/model/)
    await editor.close()
  })

  it('a saved session is listed and loaded, with what was said and done', async () => {
    const first = await setup.serve([call('script_touch', { text: 'a' }), answer('Done.')])
    const before = openEditor(setup, ['--model', first.model], () => select('once'))
    await before.initialize()
    const sessionId = await before.newSession()
    await before.prompt(sessionId, 'Touch it')
    await before.close()
    const second = await setup.serve([answer('As I said.')])
    const editor = openEditor(setup, ['--model', second.model])
    await editor.initialize()
    const { sessions } = await editor.agent.request(methods.agent.session.list, { cwd: setup.project })
    expect(sessions).toMatchObject([{ sessionId, title: 'Touch it' }])
    await editor.agent.request(methods.agent.session.load, { sessionId, cwd: setup.project, mcpServers: [] })
    expect(editor.updates.map(({ sessionUpdate }) => sessionUpdate).slice(0, 4)).toEqual([
      'user_message_chunk',
      'tool_call',
      'tool_call_update',
      'agent_message_chunk',
    ])
    const [started, ended] = calls(editor)
    expect(ended).toMatchObject({ toolCallId: started!.toolCallId, status: 'completed' })
    await editor.prompt(sessionId, 'Again')
    expect(JSON.stringify(second.server.requests[0]!.body)).toContain('Touch it')
    await editor.close()
  })

  it('an edit is shown as a diff, asked about with it, and written', async () => {
    writeFileSync(join(setup.project, 'a.txt'), 'one\ntwo\n')
    const edits = [{ old_string: 'two', new_string: 'three' }]
    const { model } = await setup.serve([
      call('read_file', { path: 'a.txt' }),
      call('edit_file', { path: 'a.txt', edits }),
      answer('Edited.'),
    ])
    const editor = openEditor(setup, ['--model', model], () => select('once'))
    await editor.initialize()
    const sessionId = await editor.newSession()
    expect(await editor.prompt(sessionId, 'Edit')).toEqual({ stopReason: 'end_turn' })
    const path = join(realpathSync(setup.project), 'a.txt')
    const diff = { type: 'diff', path, oldText: 'one\ntwo\n', newText: 'one\nthree\n' }
    expect(calls(editor)).toContainEqual(
      expect.objectContaining({
        sessionUpdate: 'tool_call',
        kind: 'edit',
        content: [diff],
        locations: [{ path }],
      }),
    )
    expect(editor.permissions[0]!.toolCall.content).toContainEqual(diff)
    expect(readFileSync(path, 'utf8')).toBe('one\nthree\n')
    await editor.close()
  })

  it('files are read and written through the editor, with changes that are not saved', async () => {
    const path = join(realpathSync(setup.project), 'a.txt')
    writeFileSync(path, 'saved\n')
    const { model, server } = await setup.serve([
      call('read_file', { path: 'a.txt' }),
      call('edit_file', { path: 'a.txt', edits: [{ old_string: 'unsaved', new_string: 'edited' }] }),
      call('write_file', { path: 'new.txt', content: 'new\n' }),
      call('read_file', { path: '.env' }),
      answer('Done.'),
    ])
    writeFileSync(join(setup.project, '.env'), 'KEY=1\n')
    const buffers = new Map([[path, 'unsaved\n']])
    const editor = openEditor(setup, ['--model', model], () => select('once'), buffers)
    await editor.initialize({ fs: { readTextFile: true, writeTextFile: true } })
    const sessionId = await editor.newSession()
    await editor.prompt(sessionId, 'Edit')
    expect(JSON.stringify(server.requests[1]!.body)).toContain('unsaved')
    expect(buffers.get(path)).toBe('edited\n')
    expect(buffers.get(join(realpathSync(setup.project), 'new.txt'))).toBe('new\n')
    expect(readFileSync(path, 'utf8')).toBe('saved\n')
    expect(calls(editor).at(-1)).toMatchObject({ status: 'failed', _meta: { 'curfew/code': 'DENIED' } })
    await editor.close()
  })

  it("the editor's MCP servers are used, started in the session's folder", async () => {
    const { model } = await setup.serve([call('mcp__everything__echo', { message: 'hi' }), answer('Echoed.')])
    const editor = openEditor(setup, ['--model', model], () => select('once'))
    await editor.initialize()
    const command = join(import.meta.dirname, '../../../node_modules/.bin/mcp-server-everything')
    const sessionId = await editor.newSession({
      mcpServers: [{ name: 'everything', command, args: [], env: [{ name: 'A', value: 'secret:B' }] }],
    })
    expect(await editor.prompt(sessionId, 'Echo')).toEqual({ stopReason: 'end_turn' })
    expect(JSON.stringify(calls(editor).at(-1))).toContain('Echo: hi')
    await editor.close()
  })

  it('two sessions do not affect each other', async () => {
    const { model } = await setup.serve([call('script_hang'), answer('Quick.')])
    const editor = openEditor(setup, ['--model', model, '--set', 'approval=allow'])
    await editor.initialize()
    const [one, two] = [await editor.newSession(), await editor.newSession()]
    const hanging = editor.prompt(one!, 'Hang')
    await until(() => calls(editor).some(({ status }) => status === 'in_progress'))
    expect(await editor.prompt(two!, 'Be quick')).toEqual({ stopReason: 'end_turn' })
    await editor.agent.request(methods.agent.session.close, { sessionId: one! })
    expect(await hanging).toEqual({ stopReason: 'cancelled' })
    await editor.close()
  })

  it.each([
    ['a relative folder', { cwd: 'here' }, /cwd: expected an absolute path/],
    [
      'a server with an invalid name',
      { mcpServers: [{ name: 'a b', command: 'x', args: [], env: [] }] },
      /mcpServers\[0\]\.name/,
    ],
  ])('%s is rejected', async (_, more, message) => {
    const editor = openEditor(setup, [])
    await editor.initialize()
    await expect(editor.newSession(more)).rejects.toThrow(message)
    await expect(editor.prompt('unknown', 'Hi')).rejects.toThrow(/not found/i)
    await editor.close()
  })

  it.each([
    ['not JSON', 'garbage\n'],
    ['an array', '[]\n'],
    ['deeply nested', `${'['.repeat(100_000)}\n`],
    ['an unknown method', '{"jsonrpc":"2.0","id":1,"method":"no/such"}\n'],
    ['parameters of another type', '{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":7}\n'],
    ['invalid UTF-8', Buffer.from([0xff, 0xfe, 0x0a])],
  ])('%s does not end the process', async (_, line) => {
    const editor = openEditor(setup, [])
    editor.child.stdin!.write(line)
    await editor.initialize()
    expect(await editor.newSession()).toMatch(/^\d{8}-/)
    expect(await editor.close()).toBe(0)
  })
})
