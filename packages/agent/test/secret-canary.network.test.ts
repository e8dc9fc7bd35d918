import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createAgent, createSession } from '@curfew/agent'
import { createRuntime, defineTool, toolResult, type Vault } from '@curfew/core'
import { afterEach, describe, expect, test } from 'vitest'
import {
  type ModelServerOptions,
  type Reply,
  startModelServer,
  wireFormats,
} from '../../../packages/torture/src/model-server/start-model-server.ts'
import { canary, canaryForms as forms } from '../../../test/support/canary.ts'
import { collect } from './support/agent-setup.ts'
import { createTestModel } from './support/create-test-model.ts'

const folders: string[] = []
const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

const vault: Vault = {
  canStore: false,
  read: async (name) => (name === 'SERVICE_TOKEN' ? { kind: 'found', value: canary } : { kind: 'missing' }),
  store: async () => {},
  allow: async () => {},
}

async function setUp(format: ModelServerOptions['format'], script: readonly Reply[]) {
  const server = await startModelServer({ format, script })
  const runtime = createRuntime({ approval: 'allow', log: () => {}, vault })
  /** What a tool got from the model or from the vault. */
  const seen: unknown[] = []
  const secrets = ['SERVICE_TOKEN']
  runtime.register(
    defineTool({
      name: 'print',
      description: 'Print the token.',
      secrets,
      async execute(_params, context) {
        const token = await context.secret('SERVICE_TOKEN')
        seen.push(token)
        const env = { ...process.env, TOKEN: token }
        const code =
          'const t = process.env.TOKEN; console.log(t, Buffer.from(t).toString("base64"), encodeURIComponent(t))'
        const { stdout } = await promisify(execFile)(process.execPath, ['-e', code], { env })
        // In two pieces, as a pipe may deliver it.
        context.output(stdout.slice(0, 9))
        context.output(stdout.slice(9))
        context.progress({ current: 1, message: token })
        return stdout
      },
    }),
    defineTool({
      name: 'fail',
      description: 'Fail.',
      execute: () => {
        throw new Error(`401: the token ${canary} was rejected`, { cause: new Error(canary) })
      },
    }),
    defineTool({
      name: 'parts',
      description: 'Return parts.',
      execute: () =>
        toolResult({
          value: { [canary]: canary },
          parts: [
            { type: 'text', text: `The token is ${canary}.` },
            { type: 'text', text: Buffer.from(canary).toString('base64') },
          ],
        }),
    }),
    defineTool({
      name: 'use',
      description: 'Use a token.',
      parameters: { type: 'object', properties: { token: { type: 'string' } } } as const,
      execute: ({ token }) => {
        seen.push(token)
        return `used ${token}`
      },
    }),
  )
  const folder = mkdtempSync(join(tmpdir(), 'curfew-canary-'))
  folders.push(folder)
  const problems: string[] = []
  const session = await createSession({
    folder,
    project: folder,
    model: 'test',
    redact: (value) => runtime.redact(value),
    onProblem: (problem) => problems.push(problem),
  })
  const agent = createAgent({
    model: createTestModel(format, server.url),
    runtime,
    session,
    system: 'Be brief.',
    limits: { model: { maxAttempts: 2, maxWait: '2s' } },
  })
  /** Everything that a person, a user interface or a log could see. */
  const visible: unknown[] = []
  agent.subscribe(() => visible.push(structuredClone(agent.getSnapshot())))
  runtime.subscribe((delta) => visible.push(structuredClone(delta)))
  const send = async (...prompt: Parameters<typeof agent.send>) => {
    const events = await collect(agent.send(...prompt))
    visible.push(events, agent.getSnapshot(), runtime.getSnapshot())
    const written = events.map((event) =>
      event.type === 'text' || event.type === 'reasoning' ? event.text : '',
    )
    visible.push(written.join(''))
    return events
  }
  closers.push(
    () => server.close(),
    () => runtime.close(),
    () => agent.close(),
  )
  /** Asserts that nothing contains the canary. */
  const expectHidden = async () => {
    await session.close()
    const everything = {
      requests: JSON.stringify(server.requests.map(({ path, headers, body }) => ({ path, headers, body }))),
      session: readFileSync(session.path, 'utf8'),
      visible: JSON.stringify(visible),
      problems: JSON.stringify(problems),
    }
    for (const [where, text] of Object.entries(everything)) {
      for (const form of forms) expect(text.includes(form), `${form} in ${where}`).toBe(false)
      // The JSON of JSON.
      for (const form of forms)
        expect(text.includes(JSON.stringify(form).slice(1, -1)), `${form} in ${where}`).toBe(false)
    }
    return everything
  }
  return { server, agent, runtime, send, seen, expectHidden }
}

describe.each(wireFormats)(
  '%s: the secret is in no request, session file, event, snapshot, notice or error',
  (format) => {
    const hidden = '[secret SERVICE_TOKEN]'

    test('although tools print it, fail with it, and return it in parts', async () => {
      const { send, seen, server, expectHidden } = await setUp(format, [
        [
          { call: { name: 'print', input: {} } },
          { call: { name: 'fail', input: {} } },
          { call: { name: 'parts', input: {} } },
        ],
        [{ text: 'Done.' }],
      ])
      const events = await send('Go.')
      expect(events.at(-1)).toMatchObject({ reason: 'answer' })
      expect(seen).toEqual([canary])
      expect(server.requests).toHaveLength(2)
      const { requests, session } = await expectHidden()
      expect(requests).toContain(hidden)
      expect(session).toContain(hidden)
    })

    test('although a person pastes it, attaches it, and adds it to the conversation', async () => {
      const { send, agent, expectHidden } = await setUp(format, [
        [{ call: { name: 'print', input: {} } }],
        [{ text: 'Done.' }],
        [{ text: 'Done.' }],
        [{ text: 'Done.' }],
      ])
      await send('Go.')
      await send(`My token is ${canary}.`)
      agent.addParts([{ type: 'text', text: `I ran it myself: ${canary}` }])
      await send([
        { type: 'text', text: 'See the file.' },
        {
          type: 'file',
          mediaType: 'application/pdf',
          name: 'token.pdf',
          data: Buffer.from(`%PDF ${canary}`).toString('base64'),
        },
      ])
      const { requests } = await expectHidden()
      expect(requests.split(`My token is ${hidden}`)).toHaveLength(3)
      expect(requests).toContain('token.pdf: not sent, because it contains a secret')
    })

    test.each([1, 5, 9, canary.length - 1])(
      'although the model writes it in pieces of %d characters',
      async (size) => {
        const pieces = Array.from({ length: Math.ceil(canary.length / size) }, (_, index) =>
          canary.slice(index * size, (index + 1) * size),
        )
        const { send, agent, expectHidden } = await setUp(format, [
          [{ call: { name: 'print', input: {} } }],
          [
            ...(format === 'openai' ? [] : pieces.map((reasoning) => ({ reasoning }))),
            { text: 'It is ' },
            ...pieces.map((text) => ({ text })),
            { text: '.' },
            { call: { name: 'use', input: { token: canary } } },
          ],
          [{ text: 'Done.' }],
          [{ text: 'Done.' }],
        ])
        await send('Go.')
        expect((await send('Again.')).at(-1)).toMatchObject({ reason: 'answer' })
        expect(JSON.stringify(agent.getSnapshot().items)).toContain(`It is ${hidden}.`)
        await expectHidden()
      },
    )

    test('although the model uses it as the id and the name of a call', async () => {
      const { send, expectHidden } = await setUp(format, [
        [{ call: { name: 'print', input: {} } }],
        [
          { call: { id: `a${canary}`, name: 'print', input: {} } },
          { call: { id: `b${canary}`, name: `x${canary}`, input: {} } },
        ],
        [{ text: 'Done.' }],
      ])
      expect((await send('Go.')).at(-1)).toMatchObject({ reason: 'answer' })
      await expectHidden()
    })

    test('although a response with it is cut off', async () => {
      const { send, expectHidden } = await setUp(format, [
        [{ call: { name: 'print', input: {} } }],
        [{ text: canary.slice(0, 7) }, { text: canary.slice(7) }, { drop: true }],
        [{ text: 'Done.' }],
      ])
      expect((await send('Go.')).at(-1)).toMatchObject({ reason: 'model-failure' })
      expect((await send('Again.')).at(-1)).toMatchObject({ reason: 'answer' })
      await expectHidden()
    })

    test('although the provider repeats it in errors', async () => {
      const { send, expectHidden } = await setUp(format, [
        [{ call: { name: 'print', input: {} } }],
        { error: { status: 503, message: `cannot serve ${canary}` } },
        { error: { status: 400, message: `invalid request: ${canary}` } },
      ])
      const events = await send('Go.')
      expect(events).toContainEqual(expect.objectContaining({ type: 'notice' }))
      expect(events.at(-1)).toMatchObject({
        reason: 'model-failure',
        message: expect.stringContaining(hidden),
      })
      await expectHidden()
    })
  },
)
