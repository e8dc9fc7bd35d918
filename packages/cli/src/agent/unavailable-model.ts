import type { LanguageModelV4 } from '@ai-sdk/provider'

/** Stands in for a model that could not be opened, so that commands work without one. Every request fails with the reason. */
export function unavailableModel(reason: unknown): LanguageModelV4 {
  const fail = (): Promise<never> => Promise.reject(reason)
  return {
    specificationVersion: 'v4',
    provider: 'none',
    modelId: 'none',
    supportedUrls: {},
    doGenerate: fail,
    doStream: fail,
  }
}
