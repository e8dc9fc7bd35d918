import type { ModelEntry } from '@curfew/extensions'

/** Cautious defaults for families of models, in tokens. Where a family has several sizes, the smallest; the first match counts. */
const families: readonly (readonly [pattern: RegExp, tokens: number])[] = [
  [/^anthropic:claude-/, 200_000],
  [/^google:gemini-/, 1_048_576],
  [/^openai-compatible:gpt-[45].*chat/, 128_000],
  [/^openai-compatible:gpt-5/, 400_000],
  [/^openai-compatible:gpt-4\.1/, 1_047_576],
  [/^openai-compatible:gpt-4o/, 128_000],
  [/^openai-compatible:o[34](-|$)/, 200_000],
]

/** The number of tokens that a model accepts, as configured or by its family; `undefined` if it is not known. */
export function contextWindowOf(model: string, entries: ReadonlyMap<string, ModelEntry>): number | undefined {
  return entries.get(model)?.contextWindow ?? families.find(([pattern]) => pattern.test(model))?.[1]
}
