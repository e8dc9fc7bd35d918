import { readFileSync } from 'node:fs'

/** The version of this package; in the bundle of the command, that of the command. */
export function journalVersion(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}
