import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { applyEdit, editJson, readJsonFile, replaceFile, withLock } from '@curfew/extensions/internal'
import { serverNameProblem } from './server-name.ts'

/** What stands in the file for a server, as it is to be written. */
export type RawServerEntry = Readonly<Record<string, unknown>>

export interface AddServerOptions {
  /** Write over a server that has the name already. @default false */
  readonly force?: boolean
}

/**
 * Writes a server into an `mcp.json`, which is made if it is not there; everything else in it stays, comments and formatting included. `'exists'` if a server has
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
      const { text, servers } = await readServers(file)
      const exists = servers !== null && Object.hasOwn(servers, name)
      if (exists && !force) return 'exists'
      const edit =
        servers === null
          ? editJson(text, '/mcpServers', { [name]: entry })
          : editJson(text, `/mcpServers/${name}`, entry)
      await replaceFile(file, applyEdit(text, edit!))
      return exists ? 'replaced' : 'added'
    })
  } catch (error) {
    if (error instanceof CurfewError) throw error
    throw unusable(file, `cannot be written: ${messageOf(error)}`)
  }
}

async function readServers(
  file: string,
): Promise<{ readonly text: string; readonly servers: object | null }> {
  const read = await readJsonFile(file)
  if (read.kind === 'missing') return { text: '{}\n', servers: null }
  if (read.kind === 'problem') throw unusable(file, `${read.problem.message}; fix it first`)
  const { text, value } = read
  if (!isObject(value)) throw unusable(file, 'expected an object; fix it first')
  if (!Object.hasOwn(value, 'mcpServers')) return { text, servers: null }
  const { mcpServers } = value as { readonly mcpServers: unknown }
  if (!isObject(mcpServers)) throw unusable(file, 'mcpServers: expected an object; fix it first')
  return { text, servers: mcpServers }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unusable(file: string, why: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${file}: ${why}`, { field: file })
}
