import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import {
  type ModelServerOptions,
  testKey,
} from '../../../../packages/torture/src/model-server/start-model-server.ts'

type Fetch = typeof fetch

/** The provider's real package, with the URL of a test server. */
export function createTestModel(
  format: ModelServerOptions['format'],
  baseURL: string,
  { modelId = modelIds[format], fetch }: { readonly modelId?: string; readonly fetch?: Fetch } = {},
): LanguageModelV4 {
  const options = { apiKey: testKey, baseURL, ...(fetch !== undefined && { fetch }) }
  switch (format) {
    case 'google':
      return createGoogle(options)(modelId)
    case 'anthropic':
      return createAnthropic(options)(modelId)
    case 'openai':
      return createOpenAICompatible({ ...options, name: 'openai-compatible', includeUsage: true })(modelId)
  }
}

const modelIds = {
  google: 'gemini-3-pro-preview',
  anthropic: 'claude-sonnet-4-5',
  openai: 'test-model',
} as const
