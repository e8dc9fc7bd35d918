import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { defineTool, type Vault } from '@curfew/core'
import { expect, test } from 'vitest'
import { canary, canaryForms as forms } from '../../../test/support/canary.ts'
import { callsIn, newRuntime, newStateFolder, openTestJournal } from './support/journal-setup.ts'

const vault: Vault = {
  canStore: false,
  read: async (name) => (name === 'SERVICE_TOKEN' ? { kind: 'found', value: canary } : { kind: 'missing' }),
  store: async () => {},
  allow: async () => {},
}

/** Of a call that uses the secret, once it knows it. */
const uses: Record<string, (secret: string, print: (text: string) => void) => unknown> = {
  result: (secret) => ({ token: secret, list: [`Bearer ${secret}`] }),
  output: (secret, print) => {
    for (const character of `the token is ${secret}.\n`) print(character)
    print(`${'x'.repeat(990)}${secret}\n`)
    return 'ok'
  },
  'long result': (secret) => `${'y'.repeat(285)}${secret}${'z'.repeat(200_000)}`,
  error: (secret) => {
    throw new Error(`rejected: ${secret}`, { cause: { headers: { authorization: secret } } })
  },
  encoded: (secret) => [
    encodeURIComponent(secret),
    Buffer.from(secret).toString('hex'),
    ...[0, 1, 2].map((shift) => Buffer.from('x'.repeat(shift) + secret).toString('base64')),
  ],
}

test('a secret in arguments, output, results, errors and names is in no byte of the journal', async () => {
  const state = newStateFolder()
  const { journal } = await openTestJournal(state)
  const runtime = newRuntime({ vault })
  runtime.register(
    defineTool({
      name: 'use',
      description: 'Use the token.',
      secrets: ['SERVICE_TOKEN'],
      parameters: {
        type: 'object',
        properties: { how: { type: 'string' }, text: {} },
        required: ['how'],
      },
      async execute({ how }, context) {
        const secret = await context.secret('SERVICE_TOKEN')
        return uses[how as string]!(secret, context.output)
      },
    }),
  )
  journal.attach(runtime)
  for (const how of Object.keys(uses)) await runtime.execute([{ id: how, name: 'use', params: { how } }])
  // Now that it is known, the model repeats it.
  const texts = [canary, `${'p'.repeat(395)}${canary}`, { [canary]: [canary] }]
  for (const text of texts)
    await runtime.execute([{ id: canary, name: 'use', params: { how: 'result', text } }])
  await runtime.execute([{ id: '1', name: `tool ${canary}`, params: canary as never, meta: { canary } }], {
    turn: 'turn',
  })
  await journal.flush()

  const rows = callsIn(journal.path)
  expect(rows).toHaveLength(Object.keys(uses).length + texts.length + 1)
  expect(rows.filter((row) => JSON.stringify(row).includes('[secret S')).length).toBe(rows.length)
  expectNoCanary(dirname(journal.path))
  await journal.close()
  expectNoCanary(dirname(journal.path))
})

test('arguments are redacted again at the end, if a secret in them became known in the meantime', async () => {
  const { journal } = await openTestJournal(newStateFolder())
  const runtime = newRuntime({ vault })
  runtime.register(
    defineTool({
      name: 'learn',
      description: 'Read the token.',
      secrets: ['SERVICE_TOKEN'],
      parameters: { type: 'object', properties: { text: { type: 'string' } } },
      async execute(_params, context) {
        await journal.flush()
        await context.secret('SERVICE_TOKEN')
        return 'ok'
      },
    }),
  )
  journal.attach(runtime)
  await runtime.execute([{ id: '1', name: 'learn', params: { text: canary } }])
  await journal.flush()
  expect(callsIn(journal.path)).toMatchObject([
    { status: 'success', args: '{"text":"[secret SERVICE_TOKEN]"}' },
  ])
})

function expectNoCanary(folder: string): void {
  const files = readdirSync(folder)
  expect(files.length).toBeGreaterThan(0)
  for (const name of files) {
    const bytes = readFileSync(join(folder, name))
    for (const form of forms) {
      expect([name, form, bytes.includes(form)]).toEqual([name, form, false])
      expect([name, form, bytes.includes(Buffer.from(form, 'utf16le'))]).toEqual([name, form, false])
    }
  }
}
