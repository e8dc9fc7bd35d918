import { CurfewError } from '@curfew/core'
import { invalidOption, isJsonObject, messageOf, replaceFile, withLock } from '@curfew/core/internal'
import { applyEdit, editJson, escapeKey, readJsonFile, type TextEdit } from '@curfew/extensions/internal'

/** The content of an `mcp.json`, before its servers are validated. */
export interface ServerFileText {
  readonly text: string
  /** `null` if there is no `mcpServers`. */
  readonly servers: Readonly<Record<string, unknown>> | null
}

/**
 * Changes an `mcp.json`; the rest of the file keeps its comments and formatting. `change` returns the edit, or `null` to leave it as it is,
 * and the result. Rejects with `INVALID_OPTION` if the file is invalid or cannot be written.
 */
export async function editServerFile<R>(
  file: string,
  change: (content: ServerFileText) => { readonly edit: TextEdit | null; readonly result: R },
): Promise<R> {
  try {
    return await withLock(file, async () => {
      const content = await readServers(file)
      const { edit, result } = change(content)
      if (edit !== null) await replaceFile(file, applyEdit(content.text, edit))
      return result
    })
  } catch (error) {
    if (error instanceof CurfewError) throw error
    throw invalidOption(file, `cannot be written: ${messageOf(error)}`)
  }
}

/** Sets or removes `disabled` of a server. Returns false if there was nothing to change. */
export async function setServerDisabled(file: string, name: string, disabled: boolean): Promise<boolean> {
  return await editServerFile(file, ({ text, servers }) => {
    const entry = servers !== null && Object.hasOwn(servers, name) ? servers[name] : undefined
    if (entry === undefined) throw invalidOption(file, `has no server ${JSON.stringify(name)}`)
    if (!isJsonObject(entry))
      throw invalidOption(file, `mcpServers.${name}: expected an object; fix it first`)
    if ((entry.disabled === true) === disabled) return { edit: null, result: false }
    const edit = editJson(text, `/mcpServers/${escapeKey(name)}/disabled`, disabled ? true : undefined)
    return { edit, result: edit !== null }
  })
}

/** Removes a server from a file. Returns false if it is not there. */
export async function removeServer(file: string, name: string): Promise<boolean> {
  return await editServerFile(file, ({ text }) => {
    const edit = editJson(text, `/mcpServers/${escapeKey(name)}`, undefined)
    return { edit, result: edit !== null }
  })
}

async function readServers(file: string): Promise<ServerFileText> {
  const read = await readJsonFile(file)
  if (read.kind === 'missing') return { text: '{}\n', servers: null }
  if (read.kind === 'problem') throw invalidOption(file, `${read.problem.message}; fix it first`)
  const { text, value } = read
  if (!isJsonObject(value)) throw invalidOption(file, 'expected an object; fix it first')
  if (!Object.hasOwn(value, 'mcpServers')) return { text, servers: null }
  const { mcpServers } = value
  if (!isJsonObject(mcpServers))
    throw invalidOption(file, 'expected "mcpServers" to be an object; fix it first')
  return { text, servers: mcpServers }
}
