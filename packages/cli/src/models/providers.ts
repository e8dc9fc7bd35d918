import type { ModelName } from '@curfew/agent'

type ProviderName = ModelName['provider']

export interface Provider {
  /** The provider's own server. */
  readonly baseUrl: string
  /** Secrets and environment variables with the key; the first one that exists is used. */
  readonly keys: readonly [string, ...string[]]
  /** Replaces `baseUrl`. */
  readonly baseUrlVariable: string | null
  /** Used if a key exists, but no model is configured. */
  readonly defaultModel: string
}

/** If there are keys of several providers and no model is configured, the first one is used. */
export const providers: Readonly<Record<ProviderName, Provider>> = {
  anthropic: {
    baseUrl: 'https://api.anthropic.com/v1',
    keys: ['ANTHROPIC_API_KEY'],
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    defaultModel: 'claude-sonnet-5-5',
  },
  google: {
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta',
    keys: ['GEMINI_API_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    baseUrlVariable: null,
    defaultModel: 'gemini-pro-latest',
  },
  'openai-compatible': {
    baseUrl: 'https://api.openai.com/v1',
    keys: ['OPENAI_API_KEY'],
    baseUrlVariable: 'OPENAI_BASE_URL',
    defaultModel: 'gpt-5.5',
  },
}

export const providerNames: readonly ProviderName[] = Object.keys(providers) as ProviderName[]
