import { UsageError } from '../command.ts'

/** Returns the name of a new tool without its prefix. Throws `UsageError` if it is invalid. */
export function checkToolName(kind: 'script' | 'api', name: string): string {
  const bare = name.replace(new RegExp(`^${kind}_`), '')
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(bare)) return bare
  throw new UsageError(
    `curfew new ${kind}: NAME: expected up to 64 of A-Z a-z 0-9 _ -, got ${JSON.stringify(name)}`,
  )
}
