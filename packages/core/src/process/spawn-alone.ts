import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs'
import { attempt } from '../errors/attempt.ts'

const closeOnExec = 0o2000000
let inherited: readonly number[] | undefined

/**
 * Like `spawn`, without the descriptors that this process inherited, such as that of a folder outside of a sandbox. Node closes the first
 * 16 only, and cannot close others: they are replaced by /dev/null.
 */
export function spawnAlone(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  inherited ??= attempt(() => readdirSync('/proc/self/fd'), [])
    .map(Number)
    .filter(isInherited)
  if (inherited.length === 0) return spawn(command, args, options)
  const empty = openSync('/dev/null', 'r')
  try {
    const stdio = [...(options.stdio as NonNullable<unknown>[])]
    const own = stdio.length
    while (stdio.length <= Math.max(...inherited)) stdio.push('ignore')
    for (const descriptor of inherited) if (descriptor >= own) stdio[descriptor] = empty
    return spawn(command, args, { ...options, stdio: stdio as never })
  } finally {
    closeSync(empty)
  }
}

/** Node opens all of its own with `O_CLOEXEC`. */
function isInherited(descriptor: number): boolean {
  const info = attempt(() => readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'), '')
  const [, flags] = /^flags:\s*([0-7]+)$/m.exec(info) ?? []
  return descriptor > 2 && flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
}
