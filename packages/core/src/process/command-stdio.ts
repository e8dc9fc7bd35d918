import type { ChildProcess, StdioOptions } from 'node:child_process'
import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import { type Fifo, giveBackFifo, openFifo } from './fifo.ts'
import { openInput } from './input-file.ts'
import type { ProcessOptions } from './process-options.ts'

export type OutputStream = 'stdout' | 'stderr'

const streams = ['stdout', 'stderr'] as const

/** What a command reads from and writes to, and our ends of it. */
export class CommandStdio {
  readonly #fifos = new Map<OutputStream, Fifo>()
  readonly #sockets = new Map<OutputStream, Socket>()
  /** Open here only until the command has them. */
  readonly #theirs: number[] = []
  #open = 0

  /** For `spawn`. Throws if there is no room for what the command is to read. */
  prepare({ stdin = 'empty', output = 'capture' }: ProcessOptions): StdioOptions {
    const input = typeof stdin === 'object' ? this.#lend(openInput(stdin.text)) : stdin
    if (output === 'inherit') return [input === 'empty' ? 'ignore' : input, 'inherit', 'inherit']
    return [input === 'empty' ? 'ignore' : input, ...streams.map((stream) => this.#prepareOutput(stream))]
  }

  #prepareOutput(stream: OutputStream): number | 'pipe' {
    const fifo = openFifo()
    if (fifo === null) return 'pipe'
    this.#fifos.set(stream, fifo)
    return this.#lend(fifo.writer)
  }

  #lend(descriptor: number): number {
    this.#theirs.push(descriptor)
    return descriptor
  }

  /** The pipes: whoever holds one of them belongs to the command. */
  get paths(): string[] {
    return [...this.#fifos.values()].map(({ path }) => path)
  }

  /** The command has its ends by now, or never will; a writer of ours would hide the end of the output. */
  closeTheirs(): void {
    for (const descriptor of this.#theirs.splice(0)) closeSync(descriptor)
  }

  /** Reads what the command writes. */
  read(child: ChildProcess, onChunk: (chunk: Buffer, stream: OutputStream) => void, onEnd: () => void): void {
    for (const stream of streams) {
      const fifo = this.#fifos.get(stream)
      const take = (chunk: Buffer): void => onChunk(chunk, stream)
      const socket = fifo === undefined ? (child[stream] as Socket | null) : readFifo(fifo, take)
      if (socket === null) continue
      if (fifo === undefined) socket.on('data', take)
      this.#sockets.set(stream, socket)
      this.#open++
      socket.on('error', () => {})
      socket.once('close', () => {
        this.#open--
        onEnd()
      })
    }
  }

  /** Nobody can write to it any more. */
  get outputEnded(): boolean {
    return this.#open === 0
  }

  pause(stream: OutputStream): void {
    this.#sockets.get(stream)?.pause()
  }

  resume(): void {
    for (const socket of this.#sockets.values()) socket.resume()
  }

  destroy(): void {
    this.closeTheirs()
    for (const socket of this.#sockets.values()) socket.destroy()
    for (const [stream, fifo] of this.#fifos) {
      if (!this.#sockets.has(stream)) closeSync(fifo.reader)
      giveBackFifo(fifo)
    }
    this.#fifos.clear()
  }
}

function readFifo({ reader }: Fifo, take: (chunk: Buffer) => void): Socket {
  buffer ??= Buffer.allocUnsafeSlow(65_536)
  const callback = (bytes: number, chunk: Uint8Array): boolean => {
    take((chunk as Buffer).subarray(0, bytes))
    return true
  }
  return new Socket({ fd: reader, readable: true, writable: false, onread: { buffer, callback } }).resume()
}

/** One for all, as large as a pipe: a chunk is used up before the next is read. */
let buffer: Buffer | null = null
