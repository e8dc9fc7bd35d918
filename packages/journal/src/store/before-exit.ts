const listeners = new Set<() => void>()

/** Calls a function when the process has nothing left to do. One listener for all, because Node warns of more than ten. */
export function onBeforeExit(listener: () => void): () => void {
  if (listeners.size === 0) process.on('beforeExit', notify)
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) process.off('beforeExit', notify)
  }
}

function notify(): void {
  for (const listener of listeners) listener()
}
