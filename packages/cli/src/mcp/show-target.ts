import type { WrittenServer } from '@curfew/mcp/config'
import { oneLine } from '../terminal.ts'
import { isKeyArgument } from './plain-keys.ts'

/** What a server is, in a line: its command, or its address. Keys in it are not shown. */
export function showTarget({ command, args, url, type, disabled }: WrittenServer): string {
  const words = [command, ...(Array.isArray(args) ? args : [])].map(String)
  const target =
    typeof url === 'string'
      ? url.replace(/\?.*$/s, '?…') + (type === 'sse' ? ' (sse)' : '')
      : words.map((word, index) => (isKeyArgument(words, index) ? '…' : quote(word))).join(' ')
  return oneLine(target + (disabled === true ? ' (disabled)' : ''))
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)
}
