import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { AssistantPart } from '../history/history-item.ts'

export type ModelEvent =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'call'; readonly callId: string; readonly name: string; readonly input: unknown }
  | {
      readonly type: 'retry'
      readonly cause: string
      readonly attempt: number
      readonly maxAttempts: number
      readonly delayMs: number
    }
  | {
      readonly type: 'finish'
      readonly finishReason: string
      readonly usage: LanguageModelV4Usage | null
      readonly parts: readonly AssistantPart[]
    }

export type ModelErrorKind = 'aborted' | 'quota' | 'other'

export class ModelError extends Error {
  readonly kind: ModelErrorKind
  readonly parts: readonly AssistantPart[]
  constructor(message: string, kind: ModelErrorKind, parts: readonly AssistantPart[] = []) {
    super(message)
    this.kind = kind
    this.parts = parts
  }
}

/** Stand-in until the bounded version is merged. */
export async function* streamModel(
  model: LanguageModelV4,
  request: Pick<LanguageModelV4CallOptions, 'prompt' | 'tools' | 'toolChoice'>,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<ModelEvent> {
  const parts: AssistantPart[] = []
  let text = ''
  try {
    const { stream } = await model.doStream({ ...request, abortSignal: signal })
    for await (const part of stream as unknown as AsyncIterable<{ type: string } & Record<string, unknown>>) {
      if (part.type === 'text-delta') {
        text += String(part.delta)
        yield { type: 'text', text: String(part.delta) }
      } else if (part.type === 'tool-call') {
        const call = {
          type: 'call' as const,
          callId: String(part.toolCallId),
          name: String(part.toolName),
          input: JSON.parse(String(part.input)) as unknown,
        }
        parts.push(call)
        yield call
      } else if (part.type === 'finish') {
        if (text !== '') parts.unshift({ type: 'text', text })
        const { unified } = part.finishReason as { unified: string }
        yield { type: 'finish', finishReason: unified, usage: part.usage as LanguageModelV4Usage, parts }
      }
    }
  } catch (error) {
    if (text !== '') parts.unshift({ type: 'text', text })
    throw new ModelError(String(error), signal.aborted ? 'aborted' : 'other', parts)
  }
}
