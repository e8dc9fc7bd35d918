import type { SharedV4ProviderOptions } from '@ai-sdk/provider'

/** Anthropic caches the request up to each marker, of which it allows four; other providers cache by themselves. */
export const cacheMarker: SharedV4ProviderOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } }
