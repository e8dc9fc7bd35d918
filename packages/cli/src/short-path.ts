import { homedir } from 'node:os'
import { relative, sep } from 'node:path'

/** Relative to the working directory or to home, whichever is shorter. */
export function shortPath(path: string): string {
  const fromHome = homePath(path)
  const fromHere = relative(process.cwd(), path)
  return fromHere.length < fromHome.length ? fromHere : fromHome
}

/** With `~` for the home directory. */
export function homePath(path: string): string {
  const home = process.env.HOME ?? homedir()
  return path === home || path.startsWith(home + sep) ? `~${path.slice(home.length)}` : path
}
