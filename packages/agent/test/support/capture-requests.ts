import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  formats,
  type wireFormats,
} from '../../../../packages/torture/src/model-server/start-model-server.ts'
import type { ReceivedRequest } from '../../../../packages/torture/src/model-server/wire-format.ts'
import { createTestModel } from './create-test-model.ts'

/** The provider's package, without a server. */
export function captureRequests(
  format: (typeof wireFormats)[number],
  modelId?: string | undefined,
): { model: LanguageModelV4; capture(send: () => PromiseLike<unknown>): Promise<ReceivedRequest> } {
  let received: ReceivedRequest | null = null
  const fetch = async (url: unknown, init?: { headers?: unknown; body?: unknown }): Promise<Response> => {
    const { pathname, search } = new URL(String(url))
    const headers = Object.fromEntries(new Headers(init?.headers as Record<string, string>))
    received = { path: pathname + search, headers, body: JSON.parse(String(init?.body)) }
    return new Response('{}', { status: 418 })
  }
  const options = { fetch: fetch as typeof globalThis.fetch, ...(modelId !== undefined && { modelId }) }
  const model = createTestModel(format, `http://x${formats[format].basePath}`, options)
  return {
    model,
    async capture(send) {
      received = null
      const error = await Promise.resolve(send()).catch((reason: unknown) => reason)
      if (received === null) throw error
      return received
    },
  }
}
