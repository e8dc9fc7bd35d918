import { CurfewError, type Vault } from '@curfew/core'
import { formatUse, storeSecretCommand } from '@curfew/core/internal'
import { advise } from '../runner-command.ts'
import type { ResolvedModel } from './resolve-model.ts'

/** What was found out about a model's key. */
export type ModelKey =
  | {
      readonly kind: 'found'
      readonly name: string
      readonly value: string
      readonly from: 'environment' | 'store'
    }
  /** The server gets none. `notice` explains why, if that is not obvious. */
  | { readonly kind: 'none'; readonly notice: string | null }
  /** The model cannot be used without it. */
  | { readonly kind: 'missing'; readonly name: string; readonly problem: string }

/** Looks up the key of a model. A stored key is used only for the host that it is bound to. */
export async function readModelKey(model: ResolvedModel, vault: Pick<Vault, 'read'>): Promise<ModelKey> {
  const { keys, use, needsKey } = model
  const [firstName] = keys
  if (firstName === undefined) return { kind: 'none', notice: null }
  let elsewhere: { readonly name: string; readonly uses: readonly string[] } | null = null
  for (const name of keys) {
    const found = await vault.read(name, use)
    if (found.kind === 'found')
      return { kind: 'found', name, value: checkKey(name, found.value), from: found.from ?? 'store' }
    if (found.kind === 'elsewhere') elsewhere ??= { name, uses: found.uses }
  }
  const host = formatUse(use)
  const command = advise(storeSecretCommand(elsewhere?.name ?? firstName, use))
  if (elsewhere !== null) {
    const { name, uses } = elsewhere
    const problem = `${name} is stored for ${uses.map(formatUse).join(', ')}, not for ${host}`
    if (needsKey)
      return { kind: 'missing', name, problem: `${problem}; to store a key for it, run: ${command}` }
    return { kind: 'none', notice: `${problem}, so no key is sent; to store one, run: ${command}` }
  }
  if (!needsKey) return { kind: 'none', notice: null }
  const variables = keys.length === 1 ? firstName : `${keys.join(' or ')}`
  const problem = `there is no key for ${host}; run: ${command} (or set the variable ${variables})`
  return { kind: 'missing', name: firstName, problem }
}

/** A header cannot contain anything else, and the error that says so would contain the key. */
function checkKey(name: string, value: string): string {
  const key = value.trim()
  if (/^[\x21-\x7e]+$/.test(key)) return key
  const message = `${name}: expected a key of printable ASCII characters without spaces; store it again: ${advise(`curfew secret set ${name}`)}`
  throw new CurfewError('INVALID_OPTION', message, { field: name })
}
