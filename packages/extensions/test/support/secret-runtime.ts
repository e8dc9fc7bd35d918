import { join } from 'node:path'
import {
  type Answer,
  CredentialRequiredError,
  createRuntime,
  defineTool,
  type Question,
  type Runtime,
  type RuntimeOptions,
  type Tool,
} from '@curfew/core'
import { openVault } from '@curfew/extensions'
import { expect } from 'vitest'
import { canary, fileOptions, folder, openStore } from './secret-folder.ts'

/** A runtime with a real encrypted file and a prompt handler that records everything that leaves it. */
export async function setUp(
  answer: (question: Question) => Answer | Promise<Answer>,
  options: RuntimeOptions = {},
) {
  const questions: Question[] = []
  const emitted: unknown[] = []
  const store = await openStore()
  const runtime = createRuntime({
    approval: 'allow',
    vault: openVault(fileOptions()),
    ask: (question) => {
      questions.push(question)
      return answer(question)
    },
    log: (entry) => emitted.push(entry),
    spillDirectory: join(folder, 'spill'),
    ...options,
  })
  runtime.subscribe((delta) => emitted.push(delta))
  runtime.onTransition((transition) => emitted.push(transition))
  return { runtime, questions, emitted, store }
}

/** A service that accepts only the right key. */
export function service(right: string, { name = 'service', readOnly = false } = {}): Tool & { runs: number } {
  const state = { runs: 0 }
  const tool = defineTool({
    name,
    description: 'Ask a service.',
    secrets: ['SERVICE_KEY'],
    readOnly,
    concurrent: true,
    async execute(_params, { secret }) {
      state.runs++
      const value = await secret('SERVICE_KEY')
      if (value === right) return `welcome, ${value}`
      throw new CredentialRequiredError(`401: ${value} is not valid`, {
        key: 'SERVICE_KEY',
        reason: 'rejected',
        retrySafe: true,
      })
    },
  })
  return Object.defineProperty({ ...tool }, 'runs', { get: () => state.runs }) as never
}

export const call = (runtime: Runtime, name = 'service', id = '1', options = {}) =>
  runtime.execute([{ id, name, params: {} }], options)

/** Cancels a call while the user is asked, and expects that the prompt is withdrawn. */
export async function cancelWhileAsked(): Promise<void> {
  let asked!: AbortSignal
  const runtime = createRuntime({
    approval: 'allow',
    vault: openVault(fileOptions()),
    log: () => {},
    ask: (_question, { signal }) => {
      asked = signal
      return new Promise(() => {})
    },
  })
  runtime.register(service(canary))
  const running = call(runtime)
  while (asked === undefined) await new Promise((resolve) => setTimeout(resolve, 5))
  runtime.cancelAll()
  expect(await running).toMatchObject([{ status: 'cancelled' }])
  expect(asked.aborted).toBe(true)
  await runtime.close()
}

/** Every string in a value, including errors and bytes. */
export function dump(value: unknown, seen = new Set<unknown>()): string {
  if (typeof value !== 'object' || value === null) return String(value)
  if (seen.has(value)) return ''
  seen.add(value)
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1')
  const properties = Object.getOwnPropertyNames(value).map(
    (key) => `${key} ${dump((value as Record<string, unknown>)[key], seen)}`,
  )
  return `${value instanceof Error ? `${value.message} ${value.stack}` : ''} ${properties.join('\n')}`
}
