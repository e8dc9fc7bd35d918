import { styleText } from 'node:util'
import { escapeInvisible } from '@curfew/core/internal'
import { type ChangedTool, changeLines } from '@curfew/mcp'

/** Formats how the definition of a server's tool has changed, without invisible or control characters. */
export async function showChange(server: string, change: ChangedTool): Promise<string> {
  const lines = (await changeLines(change)).map((line) => {
    if (line.startsWith('+')) return styleText('green', line)
    if (line.startsWith('-')) return styleText('red', line)
    return line
  })
  const title = styleText('bold', `${server}: ${escapeInvisible(change.name)}`)
  return `${[title, ...lines].join('\n')}\n`
}
