import type { LanguageModelV4 } from '@ai-sdk/provider'

/** `provider:model`, as in `--model` and in the history: `google:gemini-3-pro` for the provider `google.generative-ai`. */
export function nameOfModel({ provider, modelId }: Pick<LanguageModelV4, 'provider' | 'modelId'>): string {
  return `${provider.split('.')[0]}:${modelId}`
}

/** Whose rules apply to a request. Everything that is not known follows OpenAI's. */
export type WireFormat = 'google' | 'anthropic' | 'openai'

export function wireFormatOf({ provider }: Pick<LanguageModelV4, 'provider'>): WireFormat {
  if (/\banthropic\b/.test(provider)) return 'anthropic'
  return /^(google|vertex)\b/.test(provider) ? 'google' : 'openai'
}
