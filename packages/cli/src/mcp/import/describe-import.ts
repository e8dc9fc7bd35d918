import { storeSecretCommand } from '@curfew/core/internal'
import type { RawServerEntry } from '@curfew/mcp/config'
import { advise } from '../../runner-command.ts'
import { homePath, shortPath } from '../../short-path.ts'
import { cut, hang, oneLine } from '../../terminal.ts'
import { adviseOnKeys, secretUse } from '../plain-keys.ts'
import { showTarget } from '../show-target.ts'
import { fileIn, type ImportResult } from './import-server.ts'
import { type PlannedFile, titleOf } from './plan-import.ts'
import type { NamedSecret } from './translation.ts'

/** Reports the result for the servers of one file. Never contains a key. */
export function describeImport(
  { source, root, results, stored, notes }: PlannedFile,
  columns: number | undefined,
): string {
  const file = shortPath(fileIn(root.path))
  const project = source.scope === 'user' ? null : root.path
  const lines = describeResults(results, file, columns)
  const remarks = results.flatMap((one) => {
    if (one.kind !== 'imported') return []
    const keys = adviseOnKeys(one.name, one.entry, file, project)
    const required = adviseOnSecrets(one.name, one.entry, one.secrets, project)
    return [...one.notes.map((note) => `${one.name}: ${oneLine(note)}`), ...required, ...keys]
  })
  const secrets = [...new Set(stored)]
  if (secrets.length > 0) remarks.push(`stored as secrets: ${secrets.join(', ')}`)
  if (results.some(({ kind }) => kind === 'unapproved'))
    remarks.push(
      `servers from the repository are skipped until you approve them in ${source.agent}; to add one yourself: ${advise('curfew mcp add --project --help')}`,
    )
  if (!root.usable && results.some(({ kind }) => kind === 'imported'))
    remarks.push(`this project is not trusted yet; review it, then run: ${advise('curfew trust')}`)
  // Indented lines are commands to copy.
  const wrapped = [...remarks, ...notes].flatMap((line) =>
    line.startsWith(' ') ? [`  ${line}`] : hang('  ', line, columns, 4),
  )
  return `${titleOf(source)}\n${[...lines, ...wrapped].map((line) => `${line}\n`).join('')}`
}

/** How to store the values that the agent reads or asks for itself. */
function adviseOnSecrets(
  name: string,
  entry: RawServerEntry,
  secrets: readonly NamedSecret[],
  project: string | null,
): readonly string[] {
  const use = secretUse(name, entry, project)
  return secrets.flatMap(({ name: secret, origin, file }) => [
    `${name}: store ${oneLine(origin)} as the secret ${secret}:`,
    `  ${advise(storeSecretCommand(secret, use))}${file === null ? '' : ` < ${quoted(homePath(file))}`}`,
  ])
}

/** For a shell, which expands `~` only outside of quotes. */
function quoted(path: string): string {
  return path.replace(/[^\w@%+=:,./~-]/g, '\\$&')
}

function describeResults(
  results: readonly ImportResult[],
  file: string,
  columns: number | undefined,
): readonly string[] {
  const rows = results.map((one) => describeOne(one, file))
  const width = Math.max(...rows.map(([, name]) => name.length))
  return rows.flatMap(([sign, name, text], index) => {
    const lead = `  ${sign}  ${name.padEnd(width)}  `
    if (results[index]!.kind !== 'imported') return hang(lead, text, columns)
    return [lead + cut(text, columns === undefined ? maxTarget : columns - lead.length)]
  })
}

/** In columns, if the output is not a terminal. */
const maxTarget = 100

function describeOne(one: ImportResult, file: string): [string, string, string] {
  const from = oneLine(one.from)
  switch (one.kind) {
    case 'imported':
      return ['+', one.name === one.from ? from : `${from} as ${one.name}`, showTarget(one.entry)]
    case 'exists': {
      const other = `${file} has another ${one.name}; --rename keeps both, --force replaces it`
      return one.same ? ['=', from, `is already in ${file}`] : ['~', from, other]
    }
    case 'curfew':
      return ['-', from, 'is Curfew itself']
    case 'unapproved':
      return ['-', from, 'not approved']
    case 'unusable':
      return ['!', from, oneLine(one.reason)]
  }
}
