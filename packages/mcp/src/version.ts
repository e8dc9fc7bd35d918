import { readFileSync } from 'node:fs'

/** The version of this package, which servers and clients get. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version
