import { CurfewError, type ToolContext } from '@curfew/core'
import { abortable } from '@curfew/core/internal'
import { classifyError } from '../models/classify-error.ts'
import { nameOfModel } from '../models/name-of-model.ts'

/** Runs a request to a model that is not for text. It ends with the call, whatever the provider's package does. */
export async function callMediaModel<T>(
  model: { readonly provider: string; readonly modelId: string },
  { signal }: ToolContext,
  redact: (text: string) => string,
  send: (signal: AbortSignal) => PromiseLike<T>,
): Promise<T> {
  const abortSignal = signal as AbortSignal
  try {
    return await abortable(Promise.resolve(send(abortSignal)), abortSignal)
  } catch (error) {
    if (abortSignal.aborted) throw abortSignal.reason
    const { message, kind, retryable } = classifyError(error, nameOfModel(model), Date.now(), redact)
    const code = kind === 'connection' || kind === 'overloaded' ? 'TRANSPORT_FAILED' : 'TOOL_FAILED'
    throw new CurfewError(code, `${message}${retryable ? '; try again later' : ''}`)
  }
}
