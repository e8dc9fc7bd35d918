import type { LanguageModelV4 } from '@ai-sdk/provider'
import { wireFormatOf } from '../models/name-of-model.ts'

/** By default, Anthropic's package asks for as many tokens as the model can write, which are at most these for the models in question. */
const defaultOutput = 64_000
/** What current models can write at least; asking for more than a model can write is an error. */
const safeOutput = 32_000
const minOutput = 1_024
/** Of the window, because the number of tokens is an estimate. */
const margin = 0.05

/**
 * The limit for the response to a request with so many tokens; `null` for the default. Some of Anthropic's models reject a request if it and
 * the longest possible response together are longer than the window.
 */
export function maxOutput(
  model: Pick<LanguageModelV4, 'provider'>,
  tokens: number,
  window: number,
): number | null {
  if (wireFormatOf(model) !== 'anthropic') return null
  const room = Math.floor(window * (1 - margin) - tokens)
  return room >= defaultOutput ? null : Math.max(minOutput, Math.min(room, safeOutput))
}
