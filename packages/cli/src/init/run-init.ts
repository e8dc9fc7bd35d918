import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { configSchema } from '@curfew/extensions/internal'
import { UsageError } from '../command.ts'
import { starterRoot } from '../starter-root.ts'
import { write } from '../write.ts'
import { configStarter } from './config-starter.ts'

/** `curfew init`. Returns the exit code. */
export async function runInit(user: boolean): Promise<number> {
  write(await createConfig(user, 'curfew init'))
  return 0
}

/** Returns what was created and what to do next, in lines. Errors start with `command`. */
export async function createConfig(user: boolean, command: string): Promise<string> {
  const root = starterRoot(user)
  const file = join(root.path, 'config.json')
  const schema = join(root.path, 'config.schema.json')
  if (existsSync(file)) throw new UsageError(`${command}: ${file} already exists and was not changed`)
  await root.prepare()
  mkdirSync(root.path, { recursive: true, ...(user && { mode: 0o700 }) })
  writeNew(file, configStarter)
  const created = [file]
  if (!existsSync(schema)) {
    writeNew(schema, `${JSON.stringify(configSchema, null, 2)}\n`)
    created.push(schema)
  }
  const next = root.usable
    ? 'show the effective settings: curfew config'
    : 'this project is not trusted yet; review its files, then run: curfew trust && curfew config'
  return `created ${created.map((path) => relative(process.cwd(), path)).join(' and ')}\n${next}\n`
}

function writeNew(file: string, text: string): void {
  writeFileSync(file, text, { flag: 'wx' })
}
