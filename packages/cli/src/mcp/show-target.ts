import { randomUUID } from 'node:crypto'
import { escapeInvisible, isJsonObject } from '@curfew/core/internal'
import type { RawServerEntry } from '@curfew/mcp/config'
import { isKeyName, isKeyValue } from '../secret/looks-like-key.ts'
import { oneLine } from '../terminal.ts'
import { replaceKeys } from './plain-keys.ts'

/** The command or URL of a server as one line, without keys. */
export function showTarget(entry: RawServerEntry): string {
  const { command, args, url, type, disabled } = replaceKeys('', entry, () => hidden)
  const words = [command, ...(Array.isArray(args) ? args : [])].map((word) => hide(String(word)))
  const target =
    typeof url === 'string'
      ? hide(url.replace(/\?.*$/s, '?…')) + (type === 'sse' ? ' (sse)' : '')
      : command === undefined
        ? ''
        : words.map((word) => (/^[\w@%+=:,./…{}-]+$/.test(word) ? word : JSON.stringify(word))).join(' ')
  return oneLine(`${target}${disabled === true ? ' (disabled)' : ''}`)
}

/** A server's entry as JSON, without keys and invisible characters, for a person who decides whether to run it. */
export function showEntry(entry: RawServerEntry): string {
  return escapeInvisible(JSON.stringify(withoutKeys(entry), null, 2))
}

/**
 * Arguments are shown in full, and so are variables, because they could be a part of a command, or name a program or a file to run. Hidden
 * is only a variable whose name suggests a key, and whose value is one word that looks like one: not a path, an address or a name.
 */
export function withoutKeys({ args, env, ...entry }: RawServerEntry): RawServerEntry {
  const named = isJsonObject(env)
    ? Object.entries(env).filter(([name, value]) => isKeyName(name) && isOnlyKey(value))
    : []
  const shown = replaceKeys('', { ...entry, env: Object.fromEntries(named) }, () => hidden)
  const { command, env: keys, ...rest } = JSON.parse(hide(JSON.stringify(shown)))
  return {
    ...(command !== undefined && { command }),
    ...(args !== undefined && { args }),
    ...(env !== undefined && { env: isJsonObject(env) ? { ...env, ...keys } : env }),
    ...rest,
  }
}

function isOnlyKey(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    /^(?=.*\d)(?:(?:Bearer|Basic|Token) )?[\w+=.~-]{20,}$/.test(value) &&
    isKeyValue(value)
  )
}

/** A placeholder that no file can contain. */
const hidden = `_${randomUUID().replaceAll('-', '').toUpperCase()}`
const references = new RegExp(`\\{?secret:${hidden}\\}?`, 'g')

function hide(text: string): string {
  return text.replaceAll(references, '…')
}
