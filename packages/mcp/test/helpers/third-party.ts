import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createHome, type Home } from './gateway.ts'

const require = createRequire(import.meta.url)

/** The path of a package's `bin`. */
function programOf(packageFile: string): string {
  const [program] = Object.values((require(packageFile) as { bin: Record<string, string> }).bin)
  return join(dirname(packageFile), program ?? '')
}

const everything = programOf(require.resolve('@modelcontextprotocol/server-everything/package.json'))
const filesystem = programOf(require.resolve('@modelcontextprotocol/server-filesystem/package.json'))
const memory = programOf(require.resolve('@modelcontextprotocol/server-memory/package.json'))
const thinking = programOf(require.resolve('@modelcontextprotocol/server-sequential-thinking/package.json'))
export const inspector: string = programOf(
  require.resolve('@modelcontextprotocol/inspector-cli/package.json'),
)

/** Creates a home with the four reference servers. */
export function thirdPartyHome(): Promise<Home> {
  return createHome(({ folder, tag }) => {
    const files = join(folder, 'files')
    mkdirSync(files)
    writeFileSync(join(files, 'poem.txt'), 'Roses are red\nviolets are blue\n')
    const server = (program: string, args: string[] = [], env: Record<string, string> = {}): object => ({
      command: process.execPath,
      args: [program, ...args],
      env: { ...env, TEST_TAG: tag },
    })
    return {
      everything: server(everything, ['stdio']),
      filesystem: server(filesystem, [files]),
      memory: server(memory, [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
      thinking: server(thinking),
    }
  })
}
