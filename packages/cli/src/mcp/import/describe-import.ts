import { advise } from '../../runner-command.ts'
import { shortPath } from '../../short-path.ts'
import { alignColumns, cut, oneLine } from '../../terminal.ts'
import { adviseOnKeys } from '../plain-keys.ts'
import { showTarget } from '../show-target.ts'
import { fileIn, type ImportResult } from './import-server.ts'
import { type PlannedFile, titleOf } from './plan-import.ts'

/** Reports the result for the servers of one file. Never contains a key. */
export function describeImport({ source, root, results, stored, notes }: PlannedFile): string {
  const file = shortPath(fileIn(root.path))
  const project = source.scope === 'user' ? null : root.path
  const lines = alignColumns(results.map((one) => describeOne(one, file)))
  const remarks = results.flatMap((one) => {
    if (one.kind !== 'imported') return []
    const keys = adviseOnKeys(one.name, one.entry, file, project)
    return [...one.notes.map((note) => `${one.name}: ${oneLine(note)}`), ...keys]
  })
  const secrets = [...new Set(stored)]
  if (secrets.length > 0) remarks.push(`stored as secrets: ${secrets.join(', ')}`)
  if (results.some(({ kind }) => kind === 'unapproved'))
    remarks.push(
      `servers from the repository are skipped until you approve them in ${source.agent}; to add one yourself: ${advise('curfew mcp add --project --help')}`,
    )
  if (!root.usable && results.some(({ kind }) => kind === 'imported'))
    remarks.push(`this project is not trusted yet; review it, then run: ${advise('curfew trust')}`)
  return `${titleOf(source)}\n${[...lines, ...remarks, ...notes].map((line) => `  ${line}\n`).join('')}`
}

function describeOne(one: ImportResult, file: string): [string, string, string] {
  const from = oneLine(one.from)
  switch (one.kind) {
    case 'imported':
      return ['+', one.name === one.from ? from : `${from} as ${one.name}`, cut(showTarget(one.entry), 100)]
    case 'exists': {
      const other = `${file} has another ${one.name}; --rename keeps both, --force replaces it`
      return ['=', from, one.same ? `is already in ${file}` : other]
    }
    case 'curfew':
      return ['-', from, 'is Curfew itself']
    case 'unapproved':
      return ['-', from, 'not approved']
    case 'unusable':
      return ['!', from, oneLine(one.reason)]
  }
}
