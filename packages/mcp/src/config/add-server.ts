import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { readJsonFile, replaceFile, withLock } from '@curfew/extensions/internal'
import { serverNameProblem } from './server-name.ts'

/** A server's entry in the file, not validated. */
export type RawServerEntry = Readonly<Record<string, unknown>>

export interface AddServerOptions {
  /** Replace a server that has the same name. @default false */
  readonly force?: boolean
}

/**
 * Adds a server to an `mcp.json`, which is created if necessary; everything else in it stays. Returns `'exists'` without a change if
 * the name is taken. Throws `INVALID_OPTION` if the file or the name cannot be used.
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
  if (read.kind === 'problem') throw unusable(file, `${read.problem.message}; fix it first`)
  if (isObject(read.value)) return read.value
  throw unusable(file, 'expected an object; fix it first')
}

function serversOf(file: string, document: object): object {
  const { mcpServers = {} } = document as { readonly mcpServers?: unknown }
  if (isObject(mcpServers)) return mcpServers
  throw unusable(file, 'mcpServers: expected an object; fix it first')
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unusable(file: string, problem: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${file}: ${problem}`, { field: file })
}
