import type { LanguageModelV4 } from '@ai-sdk/provider'
import { boundedFetch } from './bounded-fetch.ts'
import { nameCalls } from './name-calls.ts'
import type { ResolvedModel } from './resolve-model.ts'

/** Creates a model with its provider's package, which is loaded now. All settings are passed, so that it reads none from the environment. */
export async function createModel(
  { provider, name, baseUrl }: Pick<ResolvedModel, 'provider' | 'name' | 'baseUrl'>,
  key: string | null,
): Promise<LanguageModelV4> {
  // Without a key, an empty one: otherwise the packages would read the environment.
  const options = { baseURL: baseUrl, apiKey: key ?? '', fetch: boundedFetch(baseUrl) }
  switch (provider) {
    case 'google':
      return (await import('@ai-sdk/google')).createGoogle(options)(name)
    case 'anthropic':
      return (await importAnthropic()).createAnthropic(options)(name)
    case 'openai-compatible': {
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({
        ...options,
        fetch: namingFetch(options.fetch),
        name: provider,
        includeUsage: true,
      })(name)
    }
  }
}

function namingFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const { body, status, statusText, headers } = await fetch(input, init)
    const named = body
      ?.pipeThrough(new TextDecoderStream())
      .pipeThrough(nameCalls())
      .pipeThrough(new TextEncoderStream())
    return new Response(named ?? null, { status, statusText, headers })
  }
}

/** The package throws while it is loaded if this variable is empty. */
async function importAnthropic(): Promise<typeof import('@ai-sdk/anthropic')> {
  if (process.env.ANTHROPIC_BASE_URL?.trim() === '') delete process.env.ANTHROPIC_BASE_URL
  return await import('@ai-sdk/anthropic')
}
