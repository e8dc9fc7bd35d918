import type { Runtime } from '@curfew/core'

/** Resolves when the calls of a server that are open now have ended. Later calls, which may be those of its successor, do not count. */
export function openCallsEnded(runtime: Runtime, server: string): Promise<void> {
  // A call has no server until its tool is found.
  const isOfServer = (name: string): boolean =>
    name.startsWith(`mcp__${server}__`) || name === `mcp/${server}`
  const open = new Set(
    runtime
      .getSnapshot()
      .calls.filter(({ name, endedAt }) => endedAt === null && isOfServer(name))
      .map(({ uid }) => uid),
  )
  if (open.size === 0) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = runtime.onTransition(({ uid, state }) => {
      if (!('result' in state) || !open.delete(uid)) return
      // A background task continues the call.
      const task = runtime.getCall(uid)?.detachedTo ?? null
      if (task !== null) open.add(task)
      if (open.size > 0) return
      stop()
      resolve()
    })
  })
}
