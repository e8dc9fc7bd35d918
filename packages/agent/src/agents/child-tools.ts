import type { Runtime, ToolContext } from '@curfew/core'
import { matchGlob } from '@curfew/core/internal'

/** The tools of running children, by the uid of their call. */
const running = new WeakMap<Runtime, Map<number, readonly string[]>>()

/** Restricts the tools of a child while its call runs. Returns a function that ends it. */
export function restrictChild(runtime: Runtime, uid: number, tools: readonly string[]): () => void {
  const children = running.get(runtime) ?? new Map<number, readonly string[]>()
  running.set(runtime, children)
  children.set(uid, tools)
  return () => void children.delete(uid)
}

/**
 * The names of the tools that match the globs of a child and of every child around it; `null` if none is restricted. A child
 * must not get more tools by starting another one.
 */
export function toolsOfChild(
  runtime: Runtime,
  { uid }: Pick<ToolContext, 'uid'>,
  tools: readonly (readonly string[])[],
): readonly string[] | null {
  const lists = [...tools, ...listsAround(runtime, uid)]
  if (lists.length === 0) return null
  return runtime
    .listTools('stub')
    .map(({ name }) => name)
    .filter((name) => lists.every((globs) => globs.some((glob) => matchGlob(glob, name))))
}

function listsAround(runtime: Runtime, uid: number): (readonly string[])[] {
  const children = running.get(runtime)
  if (children === undefined) return []
  const lists: (readonly string[])[] = []
  for (let row = runtime.getCall(uid); row !== undefined; ) {
    const list = children.get(row.uid)
    if (list !== undefined) lists.push(list)
    row = row.parentUid === null ? undefined : runtime.getCall(row.parentUid)
  }
  return lists
}
