import { isKeyName } from '../../secret/looks-like-key.ts'
import { secretNameFor } from '../plain-keys.ts'
import type { Dialect, ServerContext } from './dialects.ts'
import { expandEditorVariables } from './editor-variables.ts'
import { isRecord } from './is-record.ts'
import { valueAt } from './source.ts'
import { literal, type Position, Translation } from './translation.ts'

/** Keys that do not affect how the server is started. */
const editorKeys = ['dev', 'gallery', 'version'] as const

/** Asks for values (`${input:ID}`): passwords become secrets, everything else variables. */
export const fromVscode: Dialect = (server, context) => {
  const translation = new Translation(withoutNulls(server))
  translation.common()
  translation.oauth({ clientId: 'clientId' })
  translation.unsupported('envFile', 'put the variables of that file into "env"')
  if (translation.take('sandboxEnabled') === true)
    translation.note('warning: "sandboxEnabled" is not supported; the server runs without a sandbox')
  for (const key of editorKeys) translation.take(key)
  const unsupported = new Set<string>()
  expandEditorVariables(translation, context, (inside, position, before, after) => {
    if (inside === 'cwd') return literal(context.folder)
    const [, id] = /^input:(.+)$/.exec(inside) ?? []
    if (id !== undefined) return askedValue(translation, context, { id, position, before, after })
    if (/^(?:command|config|file|exec|selected|lineNumber|default)/.test(inside))
      unsupported.add(`\${${inside}}`)
    return literal(`\${${inside}}`)
  })
  if (unsupported.size > 0)
    translation.note(`warning: ${[...unsupported].join(', ')} is not supported; write the value instead`)
  return translation.end()
}

interface AskedValue {
  readonly id: string
  readonly position: Position
  readonly before: string
  readonly after: string
}

/** A variable may be set anywhere; a secret, only where Curfew accepts one. */
function askedValue(
  translation: Translation,
  { document }: ServerContext,
  { id, position, before, after }: AskedValue,
): string {
  const name = secretNameFor('', id)
  const input = inputsIn(document).find((one) => one.id === id)
  const origin = `the input ${JSON.stringify(id)}`
  const isKey = input === undefined || input.password === true || isKeyName(id)
  const acceptsSecret = position.field !== 'command' && position.field !== 'cwd'
  if (isKey && acceptsSecret) return translation.secret({ name, origin, file: null }, position, before, after)
  const initial = input?.default
  if (typeof initial === 'string' && !/[$}]/.test(initial)) {
    translation.note(`${origin} has its default; to change it, set the variable ${name}`)
    return `\${${name}:-${initial}}`
  }
  translation.note(`${origin} is now the variable ${name}; set it, or write the value instead`)
  return `\${${name}}`
}

/** In `mcp.json`, or in the older place in `settings.json`. */
function inputsIn(document: unknown): readonly Readonly<Record<string, unknown>>[] {
  const inputs = valueAt(document, ['inputs']) ?? valueAt(document, ['mcp', 'inputs'])
  return Array.isArray(inputs) ? inputs.filter(isRecord) : []
}

/** A variable that is `null` is not set. */
function withoutNulls(server: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (!isRecord(server.env)) return server
  return {
    ...server,
    env: Object.fromEntries(Object.entries(server.env).filter(([, value]) => value !== null)),
  }
}
