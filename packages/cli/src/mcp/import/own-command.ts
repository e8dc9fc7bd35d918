import { realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ownScript, runnerCommand } from '../../own-name.ts'

export interface OwnCommand {
  readonly command: string
  readonly args: readonly string[]
}

/**
 * A command that starts this Curfew from another program and keeps working: the package runner that started us, `curfew` if the PATH
 * leads here, otherwise the path of the script. What `npx` and `npm run` add to the PATH is not there for an agent.
 */
export function ownCommand(): OwnCommand {
  const script = ownScript()
  const runner = runnerCommand(script)
  if (runner !== null) return { command: runner[0], args: [...runner.slice(1), 'mcp'] }
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
