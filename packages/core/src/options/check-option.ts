import { invalidOption, unexpectedOption } from '../errors/field-error.ts'
import { didYouMean } from '../text/did-you-mean.ts'

/** Throws unless the value is an object that has only known keys; `null` allows all. */
export function checkKeys(value: unknown, known: readonly string[] | null, prefix: string): void {
  const where = prefix === '' ? 'options' : prefix.slice(0, -1)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unexpectedOption(where, 'an object', value)
  if (known === null) return
  for (const key of Object.keys(value)) {
    if (known.includes(key)) continue
    const field = prefix + key
    const hint = didYouMean(key, known) || `use one of ${known.join(', ')}`
    throw invalidOption(field, `unknown option; ${hint}`)
  }
}

export function oneOf<T extends string>(value: T, allowed: readonly T[], field: string): T {
  if (!allowed.includes(value)) throw unexpectedOption(field, `one of ${allowed.join(', ')}`, value)
  return value
}

export function string(value: string | undefined, field: string): string | undefined {
  if (value !== undefined && typeof value !== 'string') throw unexpectedOption(field, 'a string', value)
  return value
}

export function boolean(value: unknown, field: string): boolean {
  if (typeof value !== 'boolean') throw unexpectedOption(field, 'true or false', value)
  return value
}

export function callable<F>(value: F, field: string): F {
  if (value !== undefined && typeof value !== 'function') throw unexpectedOption(field, 'a function', value)
  return value
}

export function checkSignal(value: unknown): void {
  if (value !== undefined && !(value instanceof AbortSignal))
    throw unexpectedOption('signal', 'an AbortSignal', value)
}
