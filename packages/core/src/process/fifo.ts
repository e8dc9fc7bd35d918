import { spawnSync } from 'node:child_process'
import { closeSync, constants, openSync, readSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { ensureHeldDirectory } from './runtime-directory.ts'

const { O_RDONLY, O_WRONLY, O_NONBLOCK } = constants

/** A pipe that a command writes to. Node itself makes only sockets, and no command can open a socket as /dev/stdout. */
export interface Fifo {
  readonly path: string
  readonly reader: number
  readonly writer: number
}

/** Making one takes a process, so they are made by the dozen and used again. */
const batch = 24
const free: string[] = []
let made = 0
let impossible = false

/** `null` where none can be had. */
export function openFifo(): Fifo | null {
  for (;;) {
    const path = free.pop() ?? makeFifos()
    if (path === null) return null
    const fifo = openUnused(path)
    if (fifo !== null) return fifo
    rmSync(path, { force: true })
  }
}

/** It will be used again, unless somebody else has it open by then. */
export function giveBackFifo({ path }: Fifo): void {
  free.push(path)
}

/**
 * Both ends, if nobody else has it open: then there is nothing of an earlier command in it, and nobody who would read
 * or write along. The reader comes first: without one there can be no writer.
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
      // With a writer this would throw: it would have to wait.
      if (readSync(reader, oneByte) === 0) return { path, reader, writer: open(O_WRONLY) }
    }
  } catch {
    // It is not to be had.
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

/** One of the new ones; the others are free. */
function makeFifos(): string | null {
  if (impossible || process.platform !== 'linux') return null
  try {
    const directory = ensureHeldDirectory()
    const paths = Array.from({ length: batch }, () => join(directory, `pipe-${++made}`))
    const { status } = spawnSync('mkfifo', ['-m', '600', '--', ...paths], { stdio: 'ignore' })
    if (status === 0) free.push(...paths)
  } catch {
    // Then sockets have to do.
  }
  impossible = free.length === 0
  return free.pop() ?? null
}
