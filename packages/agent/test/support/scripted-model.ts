import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'

/** One response of a scripted model: text, calls, an error, or a stream that stalls. */
export interface ScriptedResponse {
  readonly text?: string | readonly string[]
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly input?: unknown }[]
  /** Instead of a response, or after the text. */
  readonly error?: unknown
  /** The stream never ends. */
  readonly stall?: true
  /** The tokens of the request that the provider reports. @default 10 */
  readonly inputTokens?: number
  /** Without it, `tool-calls` or `stop`. */
  readonly finish?: LanguageModelV4FinishReason['unified']
  readonly reasoning?: string
  /** As some local servers. */
  readonly withoutUsage?: true
}

export interface ScriptedModel extends LanguageModelV4 {
  readonly requests: LanguageModelV4CallOptions[]
}

export const usage: LanguageModelV4Usage = {
  inputTokens: { total: 100, noCache: 100, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 50, text: 50, reasoning: 0 },
}

const noUsage: LanguageModelV4Usage = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
}

/** A model that gives these responses in order; a function gives as many as are requested. */
export function scriptedModel(
  script: readonly ScriptedResponse[] | ((request: number) => ScriptedResponse),
  modelId = 'scripted',
): ScriptedModel {
  const requests: LanguageModelV4CallOptions[] = []
  return {
    specificationVersion: 'v4',
    provider: 'test',
    modelId,
    supportedUrls: {},
    requests,
    doGenerate: () => Promise.reject(new Error('not used')),
    async doStream(options) {
      const { abortSignal: _signal, ...request } = options
      requests.push(structuredClone(request))
      const at = requests.length - 1
      const response = typeof script === 'function' ? script(at) : script[at]
      if (response === undefined) throw new Error(`no response for request ${at}`)
      if (response.error !== undefined && response.text === undefined) throw response.error
      return { stream: streamOf(response, options.abortSignal, at) }
    },
  }
}

function streamOf(
  {
    text = [],
    calls = [],
    error,
    stall,
    finish,
    reasoning,
    inputTokens = usage.inputTokens.total,
    withoutUsage,
  }: ScriptedResponse,
  signal: AbortSignal | undefined,
  at: number,
): ReadableStream<LanguageModelV4StreamPart> {
  return new ReadableStream<LanguageModelV4StreamPart>({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] })
      if (reasoning !== undefined) {
        controller.enqueue({ type: 'reasoning-start', id: 'r' })
        controller.enqueue({ type: 'reasoning-delta', id: 'r', delta: reasoning })
        controller.enqueue({ type: 'reasoning-end', id: 'r' })
      }
      const deltas = typeof text === 'string' ? [text] : text
      if (deltas.length > 0) {
        controller.enqueue({ type: 'text-start', id: 't' })
        for (const delta of deltas) controller.enqueue({ type: 'text-delta', id: 't', delta })
        if (stall === undefined && error === undefined) controller.enqueue({ type: 'text-end', id: 't' })
      }
      for (const [index, { id = `call-${at}-${index}`, name, input = {} }] of calls.entries()) {
        const json = typeof input === 'string' ? input : JSON.stringify(input)
        controller.enqueue({ type: 'tool-call', toolCallId: id, toolName: name, input: json })
      }
      if (error !== undefined) return controller.error(error)
      if (stall !== undefined) {
        signal?.addEventListener('abort', () => controller.error(signal.reason), { once: true })
        return
      }
      const unified = finish ?? (calls.length > 0 ? 'tool-calls' : 'stop')
      const reported = { ...usage, inputTokens: { ...usage.inputTokens, total: inputTokens } }
      controller.enqueue({
        type: 'finish',
        usage: withoutUsage ? noUsage : reported,
        finishReason: { unified, raw: unified },
      })
      controller.close()
    },
  })
}
