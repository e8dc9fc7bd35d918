import { CurfewError } from '../errors/curfew-error.ts'

/** Misuse is refused before anything starts. */
export function checkBatch(calls: unknown, options: unknown): void {
  if (!Array.isArray(calls)) throw invalid('calls', 'must be an array of { id, name, params }')
  const ids = new Set<string>()
  for (const [index, call] of calls.entries()) {
    const at = `calls[${index}]`
    if (typeof call !== 'object' || call === null) throw invalid(at, 'must be { id, name, params }')
    const { id } = call as { id?: unknown }
    if (typeof id !== 'string' || id === '')
      throw invalid(`${at}.id`, 'must be a text; the result will carry it')
    if (ids.has(id)) {
      throw new CurfewError(
        'DUPLICATE_CALL_ID',
        `${at}.id: "${id}" is already the id of another call in this batch`,
        {
          field: `${at}.id`,
        },
      )
    }
    ids.add(id)
  }
  const { signal, turn } = Object(options) as { signal?: unknown; turn?: unknown }
  if (signal !== undefined && !(signal instanceof AbortSignal))
    throw invalid('signal', 'must be an AbortSignal')
  if (turn !== undefined && typeof turn !== 'string') throw invalid('turn', 'must be a text')
}

function invalid(field: string, problem: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${field} ${problem}`, { field })
}
