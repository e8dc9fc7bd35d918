import { compileName, matchParts, type NameTest } from './glob-name.ts'

// Not a documentation comment, because the pattern would end it: src/**/*.ts has three entries, one per name.
export type PathGlob = readonly GlobPart[]

/** `null` is `**`: any number of names. */
type GlobPart = { readonly test: NameTest; readonly namesHidden: boolean } | null

/** Braces must have been expanded. `**` at the end matches what is below, not the folder itself. */
export function compileGlob(pattern: string): PathGlob {
  const parts: GlobPart[] = []
  for (const name of pattern.split('/').filter((name) => name !== '')) {
    if (name !== '**') parts.push({ test: compileName(name), namesHidden: /^\\?\./.test(name) })
    else if (parts.length === 0 || parts.at(-1) !== null) parts.push(null)
  }
  if (parts.at(-1) === null) parts.push(anyName)
  return parts
}

const anyName: GlobPart = { test: () => true, namesHidden: false }

/** Unless `hidden`, a name that starts with a dot is matched only by a part that does, too. */
export function matchPath(glob: PathGlob, names: readonly string[], hidden: boolean): boolean {
  return matchParts<NonNullable<GlobPart>, string>(
    glob,
    names,
    (part, name) => matchesName(part, name, hidden),
    (name) => hidden || !isHidden(name),
  )
}

/** Whether something below this folder could match. */
export function mayMatchBelow(glob: PathGlob, names: readonly string[], hidden: boolean): boolean {
  for (const [index, name] of names.entries()) {
    const part = glob[index]
    if (part === null) return true
    if (part === undefined || !matchesName(part, name, hidden)) return false
  }
  return names.length < glob.length
}

function matchesName(part: NonNullable<GlobPart>, name: string, hidden: boolean): boolean {
  return (hidden || part.namesHidden || !isHidden(name)) && part.test(name)
}

export function isHidden(name: string): boolean {
  return name.startsWith('.')
}
