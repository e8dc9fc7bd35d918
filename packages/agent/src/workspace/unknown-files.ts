import { matchGlob, words } from '@curfew/core/internal'
import { PathPatterns, plainName } from './path-patterns.ts'
import { environmentScripts, harmlessDocuments, harmlessDotFiles } from './protected-files.ts'

const harmless = words(harmlessDotFiles).map((name) => `!${name}`)
const patterns = new PathPatterns(['.*', ...harmless, ...words(environmentScripts)], [])
const documents = words(harmlessDocuments)

/**
 * Why the tools for files ask before they change a file that is not in the table of protected files; `path` begins in a folder of the
 * workspace. Commands do not: what they create there is often a cache or an environment.
 */
export function whyUnknown(path: string): string | null {
  const pattern = patterns.match(`/${path}`)
  if (pattern === '.*') return 'its name begins with a dot, so a program may run or follow it on its own'
  if (pattern !== null) return 'shells and editors run it when they enter the environment'
  return mayInstruct(path) ? 'agents follow files with such names as instructions' : null
}

/** Agents look for fixed names: in capitals, such as `CONTEXT.md`, or, in the root only, with some, such as `AmazonQ.md`. */
function mayInstruct(path: string): boolean {
  const folders = path.split('/').map(plainName)
  const [, name] = /^([^.]+)(?:\..*)?\.md$/i.exec(folders.pop()!) ?? []
  const isNotable = folders.length === 0 ? /\p{Lu}/u : /^(?:\P{Ll}*\p{Lu}){2}\P{Ll}*$/u
  return (
    name !== undefined && isNotable.test(name) && !documents.some((one) => matchGlob(one, name.toLowerCase()))
  )
}
