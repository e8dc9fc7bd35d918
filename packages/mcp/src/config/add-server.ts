import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { readJsonFile, replaceFile, withLock } from '@curfew/extensions/internal'
import { serverNameProblem } from './server-name.ts'

/** What stands in the file for a server, as it is to be written. */
export type RawServerEntry = Readonly<Record<string, unknown>>

export interface AddServerOptions {
  /** Write over a server that has the name already. @default false */
  readonly force?: boolean
}

/**
 * Writes a server into an `mcp.json`, which is made if it is not there; everything else in it stays. `'exists'` if a server has
 * the name already, and then nothing is written. Throws `INVALID_OPTION` if the file or the name cannot be used.
 */
export async function addServer(
  file: string,
  name: string,
  entry: RawServerEntry,
  { force = false }: AddServerOptions = {},
): Promise<'added' | 'replaced' | 'exists'> {
  const problem = serverNameProblem(name)
  if (problem !== null) throw unusable(file, `${JSON.stringify(name)}: ${problem}`)
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    return await withLock(file, async () => {
      const document = await readDocument(file)
      const servers = serversOf(file, document)
      const exists = Object.hasOwn(servers, name)
      if (exists && !force) return 'exists'
      const changed = { ...document, mcpServers: { ...servers, [name]: entry } }
      await replaceFile(file, `${JSON.stringify(changed, null, 2)}\n`)
      return exists ? 'replaced' : 'added'
    })
  } catch (error) {
    if (error instanceof CurfewError) throw error
    throw unusable(file, `cannot be written: ${messageOf(error)}`)
  }
}

async function readDocument(file: string): Promise<object> {
  const read = await readJsonFile(file)
  if (read.kind === 'missing') return {}
  if (read.kind === 'problem') throw unusable(file, `${read.problem.message}; repair it first`)
  if (isObject(read.value)) return read.value
  throw unusable(file, 'must be an object; repair it first')
}

function serversOf(file: string, document: object): object {
  const { mcpServers = {} } = document as { readonly mcpServers?: unknown }
  if (isObject(mcpServers)) return mcpServers
  throw unusable(file, 'mcpServers must be an object; repair it first')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unusable(file: string, why: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${file}: ${why}`, { field: file })
}
