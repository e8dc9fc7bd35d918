import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { CurfewError } from '@curfew/core'
import { messageOf } from '@curfew/core/internal'
import { applyEdit, editJson, readJsonFile, replaceFile, withLock } from '@curfew/extensions/internal'
import { serverNameProblem } from './server-name.ts'

/** A server's entry in `mcp.json`, before it is validated. */
export type RawServerEntry = Readonly<Record<string, unknown>>

export interface AddServerOptions {
  /** Replace an existing server with the same name. @default false */
  readonly force?: boolean
}

/**
 * Writes a server to an `mcp.json`, which is created if it does not exist; the rest of the file keeps its comments and formatting.
 * Returns `'exists'`, without writing, if there is already a server with that name. Rejects with `INVALID_OPTION` if the file or the
 * name is invalid.
 */
export async function addServer(
  file: string,
  name: string,
  entry: RawServerEntry,
  { force = false }: AddServerOptions = {},
): Promise<'added' | 'replaced' | 'exists'> {
  const problem = serverNameProblem(name)
  if (problem !== null) throw invalid(file, `${JSON.stringify(name)}: ${problem}`)
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
    throw invalid(file, `cannot be written: ${messageOf(error)}`)
  }
}

async function readServers(
  file: string,
): Promise<{ readonly text: string; readonly servers: object | null }> {
  const read = await readJsonFile(file)
  if (read.kind === 'missing') return { text: '{}\n', servers: null }
  if (read.kind === 'problem') throw invalid(file, `${read.problem.message}; fix it first`)
  const { text, value } = read
  if (!isObject(value)) throw invalid(file, 'expected an object; fix it first')
  if (!Object.hasOwn(value, 'mcpServers')) return { text, servers: null }
  const { mcpServers } = value as { readonly mcpServers: unknown }
  if (!isObject(mcpServers)) throw invalid(file, 'expected "mcpServers" to be an object; fix it first')
  return { text, servers: mcpServers }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function invalid(file: string, problem: string): CurfewError {
  return new CurfewError('INVALID_OPTION', `${file}: ${problem}`, { field: file })
}
