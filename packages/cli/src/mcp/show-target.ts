import { escapeInvisible } from '@curfew/core/internal'
import type { RawServerEntry } from '@curfew/mcp/config'
import { isKeyName } from '../secret/looks-like-key.ts'
import { oneLine } from '../terminal.ts'
import { isRecord } from './import/is-record.ts'
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
        : words.map(quote).join(' ')
  return oneLine(`${target}${disabled === true ? ' (disabled)' : ''}`)
}

/** A server's entry as JSON, without keys and invisible characters, for a person who decides whether to run it. */
export function showEntry(entry: RawServerEntry): string {
  return escapeInvisible(JSON.stringify(withoutKeys(entry), null, 2))
}

/**
 * Arguments are shown in full, and so are variables whose names do not suggest a key: what looks like one could be a part of a command,
 * or a file that `BASH_ENV` or `LD_PRELOAD` runs.
 */
export function withoutKeys({ args, env, ...entry }: RawServerEntry): RawServerEntry {
  const named = isRecord(env) ? Object.entries(env).filter(([name]) => isKeyName(name)) : []
  const shown = replaceKeys('', { ...entry, env: Object.fromEntries(named) }, () => hidden)
  const { command, env: keys, ...rest } = JSON.parse(hide(JSON.stringify(shown)))
  return {
    ...(command !== undefined && { command }),
    ...(args !== undefined && { args }),
    ...(env !== undefined && { env: isRecord(env) ? { ...env, ...keys } : env }),
    ...rest,
  }
}

/** A placeholder that no real secret uses. */
const hidden = '_HIDDEN_'

function hide(text: string): string {
  return text.replaceAll(/\{?secret:_HIDDEN_\}?/g, '…')
}

function quote(word: string): string {
  return /^[\w@%+=:,./…{}-]+$/.test(word) ? word : JSON.stringify(word)
}
