import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { runProcess } from '@curfew/core/internal'
import { serve } from '../side.ts'
import { peakMegabytes, residentMegabytes } from './memory.ts'

export interface OutputTasks {
  /** Reads `bytes` bytes; returns the time and by how many megabytes this process grew. */
  read(reader: Reader, bytes: number): Promise<Reading>
}

export interface Reading {
  readonly ms: number
  readonly growth: number
}

export type Reader = keyof typeof readers

const readers = {
  bare: async (bytes: number) => {
    const child = spawn('head', argsFor(bytes), { stdio: ['ignore', 'pipe', 'pipe'] })
    let read = 0
    child.stdout.on('data', (chunk: Buffer) => {
      read += chunk.length
    })
    await once(child, 'close')
    if (read !== bytes) throw new Error(`expected ${bytes} bytes, got ${read}`)
  },
  curfew: async (bytes: number) => {
    const { stdout } = await runProcess({ argv: ['head', ...argsFor(bytes)] })
    if (stdout.bytes !== bytes) throw new Error(`expected ${bytes} bytes, got ${stdout.bytes}`)
  },
  execa: async (bytes: number) => {
    const { execa } = await import('execa')
    await execa('head', argsFor(bytes), { stdin: 'ignore', buffer: false })
  },
}

serve<OutputTasks>({
  async read(reader, bytes) {
    // The first call also loads modules and starts helpers, which is not measured here.
    await readers[reader](1)
    const before = residentMegabytes('self')
    const start = performance.now()
    await readers[reader](bytes)
    const ms = performance.now() - start
    return { ms, growth: peakMegabytes('self') - before }
  },
})

function argsFor(bytes: number): string[] {
  return ['-c', String(bytes), '/dev/zero']
}
