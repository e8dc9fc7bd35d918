import type { LanguageModelV4 } from '@ai-sdk/provider'
import { type ModelLimits, type ModelRequest, streamModel } from '@curfew/agent'
import { messageOf, Redactor } from '@curfew/core/internal'
import { loadConfig, openVault } from '@curfew/extensions'
import { createModel } from '../../models/create-model.ts'
import { modelKey } from '../../models/open-model.ts'
import { resolveModel } from '../../models/resolve-model.ts'
import { secretOptions } from '../../secret/open-secrets.ts'
import { oneLine } from '../../terminal.ts'
import { reviewError } from '../review-error.ts'

/** A model that judges. */
export interface Judge {
  /** `provider:name`. */
  readonly model: string
  readonly warnings: readonly string[]
  /** The text of its response. Rejects with a `ModelError`. */
  ask(request: ModelRequest, limits: ModelLimits): Promise<string>
  /** Removes the key, which a server may send back. */
  redact(text: string): string
}

/** Opens the model given with `--judge`, with the agent's settings and keys. */
export async function openJudge(name: string): Promise<Judge> {
  const redactor = new Redactor()
  const redact = (text: string): string => redactor.text(text)
  const warnings: string[] = []
  try {
    const { models } = await loadConfig({}, [])
    const resolved = resolveModel(name, '--judge', models, process.env)
    const hideSecret = (secret: string, value: string): unknown => redactor.add(secret, value)
    const key = await modelKey(resolved, { vault: openVault(secretOptions()), hideSecret }, warnings)
    const ask = asker(await createModel(resolved, key), redact)
    return { model: resolved.id, warnings, ask, redact }
  } catch (error) {
    const message = oneLine(redact(messageOf(error)))
    throw reviewError(message.startsWith('--judge') ? message : `--judge: ${message}`)
  }
}

export function asker(model: LanguageModelV4, redact: Judge['redact']): Judge['ask'] {
  return async (request, limits) => {
    let text = ''
    for await (const event of streamModel(model, request, { limits, redact }))
      if (event.type === 'finish')
        text = event.parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
    return text
  }
}
