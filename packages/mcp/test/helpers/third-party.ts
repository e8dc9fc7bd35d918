import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createHome, type Home } from './gateway.ts'

const require = createRequire(import.meta.url)

/** The program of a package, as its `bin` says. */
export function programOf(name: string): string {
  const file = require.resolve(`${name}/package.json`)
  const [program] = Object.values((require(file) as { bin: Record<string, string> }).bin)
  return join(dirname(file), program ?? '')
}

/** The four reference servers of the protocol, each as its users have it. */
export function thirdPartyHome(): Promise<Home> {
  return createHome(({ folder, tag }) => {
    const files = join(folder, 'files')
    mkdirSync(files)
    writeFileSync(join(files, 'poem.txt'), 'Roses are red\nviolets are blue\n')
    const server = (name: string, args: string[] = [], env: Record<string, string> = {}): object => ({
      command: process.execPath,
      args: [programOf(`@modelcontextprotocol/server-${name}`), ...args],
      env: { ...env, TEST_TAG: tag },
    })
    return {
      everything: server('everything', ['stdio']),
      filesystem: server('filesystem', [files]),
      memory: server('memory', [], { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') }),
      thinking: server('sequential-thinking'),
    }
  })
}
