import { performance } from 'node:perf_hooks'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { ModelError, type ModelLimits, type ModelRequest, streamModel } from '@curfew/agent'
import { messageOf } from '@curfew/core/internal'

export interface ModelCheck {
  /** The time until the first part of the response; `null` if there was none. */
  readonly responseMs: number | null
  /** Why the model does not respond; `null` if it does. */
  readonly problem: string | null
}

const limits: ModelLimits = { firstToken: '10s', maxAttempts: 1 }
const request: ModelRequest = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'Reply with the word OK.' }] }],
}

/** Sends a tiny request, and aborts it as soon as the response begins. Never rejects. `redact` removes the key. */
export async function checkModel(
  model: LanguageModelV4,
  baseUrl: string,
  redact: (text: string) => string,
): Promise<ModelCheck> {
  const start = performance.now()
  try {
    for await (const _ of streamModel(model, request, { limits, redact })) break
    return { responseMs: Math.round(performance.now() - start), problem: null }
  } catch (error) {
    return { responseMs: null, problem: redact(describe(error, baseUrl)) }
  }
}

function describe(error: unknown, baseUrl: string): string {
  if (!(error instanceof ModelError)) return messageOf(error)
  if (error.kind === 'first-token') return 'no response within 10 s'
  const isWithoutVersion = error.status === 404 && !/\/v\d/.test(new URL(baseUrl).pathname)
  return isWithoutVersion
    ? `${error.problem}; most base URLs end with a version, as in ${baseUrl}/v1`
    : error.problem
}
