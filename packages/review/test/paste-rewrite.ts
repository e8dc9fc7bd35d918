import type { Finding } from '@curfew/review'

type Node = Record<string, unknown>

/** A copy of a definition with the rewrite of a finding pasted, as its author would. */
export function pasteRewrite<T extends object>(definition: T, { pointer, rewrite }: Finding): T {
  const copy = structuredClone(definition) as Node
  if (rewrite === null) return copy as T
  const keys = pointer
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const last = keys.at(-1)!
  const parent = keys.slice(0, -1).reduce((node, key) => node[key] as Node, copy)
  const fragment = parseFragment(rewrite)
  if (fragment === undefined) {
    const node = parent[last]
    // The name of a parameter.
    if (typeof node === 'object') delete parent[last]
    if (typeof node === 'object') parent[rewrite] = node
    else parent[last] = rewrite
  } else merge(last in fragment ? parent : (parent[last] as Node), fragment)
  return copy as T
}

/** `"default": 5` as `{ default: 5 }`; `undefined` for a name or a sentence. */
function parseFragment(rewrite: string): Node | undefined {
  if (!/^"[^"]+": /.test(rewrite)) return undefined
  return JSON.parse(`{${rewrite}}`) as Node
}

function merge(target: Node, fragment: Node): void {
  for (const [key, value] of Object.entries(fragment)) {
    const isObject = (each: unknown): each is Node =>
      typeof each === 'object' && each !== null && !Array.isArray(each)
    target[key] = isObject(value) && isObject(target[key]) ? { ...target[key], ...value } : value
  }
}
