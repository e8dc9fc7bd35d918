import type { RawServerEntry } from '@curfew/mcp/config'
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
        : words.map(quote).join(' ')
  return oneLine(`${target}${disabled === true ? ' (disabled)' : ''}`)
}

/** A placeholder that no real secret uses. */
const hidden = '_HIDDEN_'

function hide(text: string): string {
  return text.replaceAll(/\{?secret:_HIDDEN_\}?/g, '…')
}

function quote(word: string): string {
  return /^[\w@%+=:,./…{}-]+$/.test(word) ? word : JSON.stringify(word)
}
