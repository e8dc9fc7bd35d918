import type { CurfewError } from '@curfew/core'
import { didYouMean, invalidOption } from '@curfew/core/internal'

/** A model as it is named on the command line and in the configuration: `provider:name[@base-url]`. */
export interface ModelName {
  readonly provider: ModelProvider
  readonly name: string
  /** Without a trailing slash. */
  readonly baseUrl: string | null
}

export const modelProviders = ['google', 'anthropic', 'openai-compatible'] as const
export type ModelProvider = (typeof modelProviders)[number]

const expected =
  'provider:name[@base-url], such as google:gemini-pro-latest or openai-compatible:qwen3@http://127.0.0.1:8080/v1'

/** Google's names are part of the address, so they must not lead to another one. */
const changesPath = /[?#%\\]|(^|\/)\.{0,2}(\/|$)/

/** The provider ends at the first colon, and the base URL starts at the last `@http`; names may contain both characters. */
export function parseModelName(text: string, field = 'model'): ModelName {
  const invalid = (problem: string): CurfewError => invalidOption(field, problem)
  const trimmed = text.trim()
  const colon = trimmed.indexOf(':')
  const provider = trimmed.slice(0, Math.max(0, colon))
  // Without a provider, the first colon is that of the URL.
  if (colon < 0 || /@https?$/.test(provider)) {
    // The URL may contain a password.
    const shown = text.replace(/@https?:.*/s, '@URL')
    const likely = likelyProvider(trimmed)
    const hint = likely === undefined ? '' : `; did you mean ${JSON.stringify(`${likely}:${shown.trim()}`)}?`
    throw invalid(`expected ${expected}, got ${JSON.stringify(shown)}${hint}`)
  }
  if (!isProvider(provider)) {
    const likely = likelyProvider(provider)
    const hint =
      likely === undefined
        ? didYouMean(provider, modelProviders) || `use one of ${modelProviders.join(', ')}`
        : `did you mean ${JSON.stringify(likely)}?`
    throw invalid(`unknown provider ${JSON.stringify(provider)}; ${hint}`)
  }
  const rest = trimmed.slice(colon + 1)
  const at = rest.lastIndexOf('@http')
  const name = at < 0 ? rest : rest.slice(0, at)
  if (name === '' || /[\s\p{Cc}]/u.test(name) || (provider === 'google' && changesPath.test(name)))
    throw invalid(`expected the name of a model after "${provider}:", got ${JSON.stringify(name)}`)
  // As part of the name, it would be sent to another server.
  const [, address] = addressAtEnd.exec(name) ?? []
  if (address !== undefined)
    throw invalid(
      `expected a base URL that starts with http:// or https:// after the @, got ${JSON.stringify(address)}`,
    )
  return { provider, name, baseUrl: at < 0 ? null : checkBaseUrl(rest.slice(at + 1), invalid) }
}

/** A URL with another scheme, `host:port`, an IPv4 address, or `localhost`, with or without a path. */
const addressAtEnd = /@([a-z]+:\/\/.*|(?:[\w.-]+:\d+|\d+(?:\.\d+){3}|localhost)(?:\/.*)?)$/is

/** What people write instead of the provider, and how the names of its models start. */
const providerPatterns: readonly (readonly [RegExp, ModelProvider])[] = [
  [/^gemini/i, 'google'],
  [/^claude/i, 'anthropic'],
  [/^(openai|gpt-|ollama|llama|qwen|mistral|deepseek|openrouter|groq|lmstudio|vllm)/i, 'openai-compatible'],
]

function likelyProvider(text: string): ModelProvider | undefined {
  return providerPatterns.find(([pattern]) => pattern.test(text))?.[1]
}

function isProvider(provider: string): provider is ModelProvider {
  return modelProviders.includes(provider as ModelProvider)
}

function checkBaseUrl(text: string, invalid: (problem: string) => CurfewError): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw invalid(`expected a base URL that starts with http:// or https://, got ${JSON.stringify(text)}`)
  // Not shown, because it contains a password.
  if (url.username !== '' || url.password !== '')
    throw invalid('the base URL must not contain a user name or password; store the key as a secret instead')
  if (url.search !== '' || url.hash !== '')
    throw invalid('the base URL must not contain a query or fragment; store the key as a secret instead')
  return text.replace(/\/+$/, '')
}
