import { realpathSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ownScript, runnerCommand } from '../../runner-command.ts'

export interface OwnCommand {
  readonly command: string
  readonly args: readonly string[]
}

/**
 * The command with which an agent can start this Curfew: the package runner that started us, `curfew` if it is in the PATH,
 * otherwise the path of the script. Folders that `npx` and `npm run` add to the PATH are ignored, because an agent does not have them.
 */
export function ownCommand(): OwnCommand {
  const script = ownScript()
  const runner = runnerCommand(script)
  if (runner !== null) return { command: runner[0], args: [...runner.slice(1), 'mcp'] }
  const hasCurfew = (folder: string): boolean =>
    folder !== '' &&
    !/[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder) &&
    realPath(join(folder, 'curfew')) === script
  return (process.env.PATH ?? '').split(delimiter).some(hasCurfew)
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
