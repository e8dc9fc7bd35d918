import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ownProgram } from './own-program.ts'
import { ensureCommandDirectory } from './runtime-directory.ts'

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants

/** A named pipe that a command writes to. Node only creates sockets, which cannot be opened as /dev/stdout. */
export interface Fifo {
  readonly path: string
  readonly reader: number
  readonly writer: number
}

/** Creating FIFOs takes a process, so they are created in batches and reused. */
const batchSize = 24
const unused: string[] = []
let count = 0
let unavailable = false

/** `null` if none can be created. */
export function openFifo(): Fifo | null {
  for (;;) {
    const path = unused.pop() ?? createFifos()
    if (path === null) return null
    const fifo = openUnused(path)
    if (fifo !== null) return fifo
    rmSync(path, { force: true })
  }
}

/** Makes the FIFO available for reuse. `openFifo` skips it while another process has it open. */
export function releaseFifo({ path }: Fifo): void {
  unused.push(path)
}

/**
 * Opens both ends if no other process has the FIFO open, so that it contains no output of an earlier command. The reader is
 * opened first because a writer requires one.
 */
function openUnused(path: string): Fifo | null {
  const opened: number[] = []
  const open = (flags: number): number => {
    const descriptor = openSync(path, flags)
    opened.push(descriptor)
    return descriptor
  }
  try {
    if (!hasReader(path)) {
      const reader = open(O_RDONLY | O_NONBLOCK)
      // Throws EAGAIN if there is a writer.
      if (readSync(reader, oneByte) === 0) return { path, reader, writer: open(O_WRONLY) }
    }
  } catch {
    // In use, or gone.
  }
  for (const descriptor of opened) closeSync(descriptor)
  return null
}

const oneByte = Buffer.alloc(1)

function hasReader(path: string): boolean {
  try {
    closeSync(openSync(path, O_WRONLY | O_NONBLOCK))
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENXIO'
  }
}

/** Creates a batch and returns one of them. */
function createFifos(): string | null {
  if (unavailable || process.platform !== 'linux') return null
  try {
    const directory = ensureCommandDirectory()
    const paths = Array.from({ length: batchSize }, () => join(directory, `pipe-${++count}`))
    const { status } = spawnSync(ownProgram('mkfifo'), ['-m', '600', '--', ...paths], { stdio: 'ignore' })
    if (status === 0) unused.push(...paths)
  } catch {
    // Sockets are used instead.
  }
  unavailable = unused.length === 0
  return unused.pop() ?? null
}
