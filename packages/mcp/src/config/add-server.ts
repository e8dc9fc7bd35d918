import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { invalidOption, messageOf } from '@curfew/core/internal'
import { editJson } from '@curfew/extensions/internal'
import { editServerFile } from './edit-server-file.ts'
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
  if (problem !== null) throw invalidOption(file, `${JSON.stringify(name)}: ${problem}`)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 }).catch((error: unknown) => {
    throw invalidOption(file, `cannot be written: ${messageOf(error)}`)
  })
  return await editServerFile(file, ({ text, servers }) => {
    const exists = servers !== null && Object.hasOwn(servers, name)
    if (exists && !force) return { edit: null, result: 'exists' }
    const edit =
      servers === null
        ? editJson(text, '/mcpServers', { [name]: entry })
        : editJson(text, `/mcpServers/${name}`, entry)
    return { edit, result: exists ? 'replaced' : 'added' }
  })
}
