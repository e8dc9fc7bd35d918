import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogle } from '@ai-sdk/google'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { LanguageModelV4 } from '@ai-sdk/provider'
import { parseModelName } from '@curfew/agent'
import { UsageError } from '../command.ts'

export interface OpenedModel {
  readonly model: LanguageModelV4
  readonly fallback: LanguageModelV4 | undefined
  readonly name: string
  readonly contextWindow: number | undefined
  readonly prices: Readonly<Record<string, { readonly input: number; readonly output: number }>>
}

export async function openModel({ name }: { readonly name?: string | undefined }): Promise<OpenedModel> {
  if (name === undefined) throw new UsageError('curfew: no model is configured; use --model')
  const parsed = parseModelName(name, '--model')
  const options = {
    apiKey: process.env.TEST_KEY ?? 'test-key-0123456789abcdef',
    baseURL: parsed.baseUrl ?? '',
  }
  const model =
    parsed.provider === 'google'
      ? createGoogle(options)(parsed.name)
      : parsed.provider === 'anthropic'
        ? createAnthropic(options)(parsed.name)
        : createOpenAICompatible({ ...options, name: 'openai-compatible', includeUsage: true })(parsed.name)
  return {
    model,
    fallback: undefined,
    name: `${parsed.provider}:${parsed.name}`,
    contextWindow: undefined,
    prices: {},
  }
}
