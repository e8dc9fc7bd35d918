import type { ImageModelV4, TranscriptionModelV4 } from '@ai-sdk/provider'
import { CurfewError } from '@curfew/core'
import { boundedFetch } from './bounded-fetch.ts'
import { modelKey, type OpenModelOptions } from './open-model.ts'
import { type ResolvedModel, resolveConfigured } from './resolve-model.ts'

type MediaRole = 'imageModel' | 'transcriptionModel'

interface MediaModels {
  readonly imageModel: ImageModelV4
  readonly transcriptionModel: TranscriptionModelV4
}

/** Functions that open the configured models, each once; a model that is not configured has none. */
export function mediaModels(options: OpenModelOptions): {
  readonly [R in MediaRole]: (() => Promise<MediaModels[R]>) | undefined
} {
  const opener = <R extends MediaRole>(role: R): (() => Promise<MediaModels[R]>) | undefined => {
    const { settings } = options
    if (settings[role] === null && !settings.invalid.has(role)) return undefined
    let opened: Promise<MediaModels[R]> | null = null
    return () => {
      opened ??= openMediaModel(role, options).catch((error: unknown) => {
        // A key may be stored later.
        opened = null
        throw error
      })
      return opened
    }
  }
  return { imageModel: opener('imageModel'), transcriptionModel: opener('transcriptionModel') }
}

async function openMediaModel<R extends MediaRole>(
  role: R,
  options: OpenModelOptions,
): Promise<MediaModels[R]> {
  const model = resolveConfigured(role, options.settings, options.env ?? process.env)!
  const key = await modelKey(model, options, [])
  // Without a key, an empty one: otherwise the packages would read the environment.
  return (await create[role](model, key ?? '')) as MediaModels[R]
}

const create: { readonly [R in MediaRole]: (model: ResolvedModel, key: string) => Promise<MediaModels[R]> } =
  {
    async imageModel(model, apiKey) {
      const { provider, name, baseUrl } = model
      const options = { baseURL: baseUrl, apiKey, fetch: boundedFetch(baseUrl) }
      if (provider === 'google') return (await import('@ai-sdk/google')).createGoogle(options).image(name)
      if (provider === 'anthropic') throw unsupported('imageModel', model, 'google or openai-compatible')
      const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
      return createOpenAICompatible({ ...options, name: provider }).imageModel(name)
    },
    async transcriptionModel(model, apiKey) {
      const { provider, name, baseUrl } = model
      if (provider !== 'google') throw unsupported('transcriptionModel', model, 'google')
      const options = { baseURL: baseUrl, apiKey, fetch: boundedFetch(baseUrl) }
      return (await import('@ai-sdk/google')).createGoogle(options).transcriptionModel(name)
    },
  }

function unsupported(role: MediaRole, { from, id }: ResolvedModel, expected: string): CurfewError {
  const message = `${from}: ${role}: expected a model of the provider ${expected}, got ${id}`
  return new CurfewError('INVALID_OPTION', message, { field: role })
}
