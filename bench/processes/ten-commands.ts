import { runProcess } from '@curfew/core/internal'
import { serve } from '../side.ts'
import { containmentOption, type Kind } from './containments.ts'

export interface RuntimeTasks {
  /** Starts ten commands, each with a grandchild and a daemon, and returns when all are running. */
  start(kind: Kind, tag: string): Promise<void>
}

const script = '(setsid sleep $0 &); setsid sleep $0 & sleep $0 & echo running; wait'

serve<RuntimeTasks>({
  async start(kind, tag) {
    const commands = Array.from({ length: 10 }, () => startCommand(kind, tag))
    await Promise.all(commands)
  },
})

function startCommand(kind: Kind, tag: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const argv = ['sh', '-c', script, tag] as const
    const ended = runProcess({ argv, containment: containmentOption[kind], onOutput: () => resolve() })
    ended.then(({ outcome }) => reject(new Error(`a command ended: ${outcome}`)), reject)
  })
}
