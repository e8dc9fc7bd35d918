import { realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * How somebody else starts this very Curfew: by its name if that leads here, and otherwise by its path. What `npx` and
 * `npm run` put before the PATH is not there for an agent.
 */
export function ownCommand(): { readonly command: string; readonly args: readonly string[] } {
  const script = realpathSync(process.argv[1]!)
  const leadsHere = (folder: string): boolean =>
    folder !== '' &&
    !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder) &&
    realPath(join(folder, 'curfew')) === script
  return (process.env.PATH ?? '').split(delimiter).some(leadsHere)
    ? { command: 'curfew', args: ['mcp'] }
    : { command: process.execPath, args: [script, 'mcp'] }
}

function realPath(path: string): string | null {
  try {
    return realpathSync(path)
  } catch {
    return null
  }
}
