import { styleText } from 'node:util'
import { formatDuration } from '@curfew/core'
import { shortPath } from '../short-path.ts'
import { hang, oneLine } from '../terminal.ts'
import type { ModelKey } from './read-model-key.ts'
import type { CheckedModel } from './run-models.ts'

/** A few lines about a model, wrapped to the width of the terminal, if any. */
export function showModel(model: CheckedModel, columns: number | undefined): string {
  const { id, role, from, baseUrl, baseUrlFrom, key, warnings, contextWindow } = model
  const mark = markOf(model)
  const title = styleText('bold', oneLine(id)) + (role === null ? '' : ` (${role})`)
  const details: (readonly [string, string])[] = [
    ['status', statusOf(model)],
    ['from', showSource(from)],
    [
      'server',
      baseUrlFrom === null || baseUrlFrom === from ? baseUrl : `${baseUrl} (${showSource(baseUrlFrom)})`,
    ],
    ['key', showKey(key)],
    ['context', contextWindow === undefined ? 'unknown' : `${contextWindow.toLocaleString('en')} tokens`],
    ...notesOf(key, warnings).map((note) => ['note', note] as const),
  ]
  return [
    `${mark} ${title}`,
    ...details.flatMap(([name, text]) => hang(`  ${styleText('dim', name.padEnd(8))}`, text, columns)),
  ]
    .map((line) => `${line}\n`)
    .join('')
}

function markOf({ check, key }: CheckedModel): string {
  if (check?.problem === null) return styleText('green', '✓')
  return check === null && key.kind !== 'missing' ? '-' : styleText('red', '✗')
}

function statusOf({ check, key }: CheckedModel): string {
  if (key.kind === 'missing') return key.problem
  if (check === null) return 'not checked'
  return check.problem ?? `responds after ${formatDuration(check.responseMs!)}`
}

function showKey(key: ModelKey): string {
  if (key.kind === 'found') return `${key.name} (${key.from === 'store' ? 'stored' : 'environment'})`
  return key.kind === 'none' ? 'none' : `${key.name} (missing)`
}

function notesOf(key: ModelKey, warnings: readonly string[]): readonly string[] {
  return key.kind === 'none' && key.notice !== null ? [...warnings, key.notice] : warnings
}

/** A file, or something else that is not a path. */
function showSource(from: string): string {
  return from.startsWith('/') ? shortPath(from) : from
}
