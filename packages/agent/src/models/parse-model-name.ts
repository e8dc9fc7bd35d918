import { CurfewError } from '@curfew/core'
import { didYouMean } from '@curfew/core/internal'

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
  'provider:name[@base-url], such as google:gemini-3-pro or openai-compatible:qwen3@http://127.0.0.1:8080/v1'

/** Google's names are part of the address, so they must not lead to another one. */
const changesPath = /[?#%\\]|(^|\/)\.{0,2}(\/|$)/

/** The provider ends at the first colon, and the base URL starts at the last `@http`; names may contain both characters. */
export function parseModelName(text: string, field = 'model'): ModelName {
  const invalid = (problem: string): CurfewError =>
    new CurfewError('INVALID_OPTION', `${field}: ${problem}`, { field })
  const trimmed = text.trim()
  const colon = trimmed.indexOf(':')
  if (colon < 0) throw invalid(`expected ${expected}, got ${JSON.stringify(text)}`)
  const provider = trimmed.slice(0, colon)
  if (!isProvider(provider)) {
    const hint = didYouMean(provider, modelProviders) || `use one of ${modelProviders.join(', ')}`
    throw invalid(`unknown provider ${JSON.stringify(provider)}; ${hint}`)
  }
  const rest = trimmed.slice(colon + 1)
  const at = rest.lastIndexOf('@http')
  const name = at < 0 ? rest : rest.slice(0, at)
  if (name === '' || /[\s\p{Cc}]/u.test(name) || (provider === 'google' && changesPath.test(name)))
    throw invalid(`expected the name of a model after "${provider}:", got ${JSON.stringify(name)}`)
  // Otherwise the prompt would be sent to the provider's own server.
  const [url] = /@[a-z]+:\/\/.*/is.exec(name) ?? []
  if (url !== undefined)
    throw invalid(
      `expected a base URL that starts with http:// or https://, got ${JSON.stringify(url.slice(1))}`,
    )
  return { provider, name, baseUrl: at < 0 ? null : checkBaseUrl(rest.slice(at + 1), invalid) }
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
