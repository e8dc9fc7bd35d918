import { exitWith } from './exit-with.ts'
import { write } from './write.ts'

exitWith(main(process.argv.slice(2)))

async function main(args: readonly string[]): Promise<number> {
  const [first] = args
  // Printed without loading any command.
  if (first === '--version' || first === '-v') {
    write(`${(await import('./curfew-version.ts')).curfewVersion()}\n`)
    return 0
  }
  const { runCommandLine } = await import('./command-line/run-command-line.ts')
  return await runCommandLine(args)
}
