import type { ChildProcess, StdioOptions } from 'node:child_process'
import { closeSync } from 'node:fs'
import { Socket } from 'node:net'
import { type Fifo, openFifo, releaseFifo } from './fifo.ts'
import { openInput } from './input-file.ts'
import type { OutputStream } from './output-stream.ts'
import type { ProcessOptions } from './process-options.ts'

const streams = ['stdout', 'stderr'] as const

/** A command's standard streams, and our ends of them. */
export class CommandStdio {
  readonly #fifos = new Map<OutputStream, Fifo>()
  readonly #sockets = new Map<OutputStream, Socket>()
  /** Open in this process only until the command has been spawned. */
  readonly #childEnds: number[] = []
  #open = 0

  /** The `stdio` for `spawn`. Throws if the input cannot be written. */
  prepare({ stdin = 'empty', output = 'capture' }: ProcessOptions): StdioOptions {
    const input = typeof stdin === 'object' ? this.#addChildEnd(openInput(stdin.text)) : stdin
    if (output === 'inherit') return [input === 'empty' ? 'ignore' : input, 'inherit', 'inherit']
    return [input === 'empty' ? 'ignore' : input, ...streams.map((stream) => this.#prepareOutput(stream))]
  }

  #prepareOutput(stream: OutputStream): number | 'pipe' {
    const fifo = openFifo()
    if (fifo === null) return 'pipe'
    this.#fifos.set(stream, fifo)
    return this.#addChildEnd(fifo.writer)
  }

  #addChildEnd(descriptor: number): number {
    this.#childEnds.push(descriptor)
    return descriptor
  }

  /** The FIFOs: a process that has one of them open belongs to the command. */
  get paths(): string[] {
    return [...this.#fifos.values()].map(({ path }) => path)
  }

  /** Call it after spawning: the output does not end while a writer is open in this process. */
  closeChildEnds(): void {
    for (const descriptor of this.#childEnds.splice(0)) closeSync(descriptor)
  }

  read(
    child: ChildProcess,
    onChunk: (chunk: Buffer, stream: OutputStream) => void,
    onEnd: (stream: OutputStream) => void,
  ): void {
    for (const stream of streams) {
      const fifo = this.#fifos.get(stream)
      const onData = (chunk: Buffer): void => onChunk(chunk, stream)
      const socket = fifo === undefined ? (child[stream] as Socket | null) : readFifo(fifo, onData)
      if (socket === null) continue
      if (fifo === undefined) socket.on('data', onData)
      this.#sockets.set(stream, socket)
      this.#open++
      socket.on('error', () => {})
      socket.once('close', () => {
        this.#open--
        onEnd(stream)
      })
    }
  }

  /** Whether all processes have closed the output. */
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
    this.closeChildEnds()
    for (const socket of this.#sockets.values()) socket.destroy()
    for (const [stream, fifo] of this.#fifos) {
      if (!this.#sockets.has(stream)) closeSync(fifo.reader)
      releaseFifo(fifo)
    }
    this.#fifos.clear()
  }
}

function readFifo({ reader }: Fifo, onData: (chunk: Buffer) => void): Socket {
  buffer ??= Buffer.allocUnsafeSlow(65_536)
  const callback = (bytes: number, chunk: Uint8Array): boolean => {
    onData((chunk as Buffer).subarray(0, bytes))
    return true
  }
  return new Socket({ fd: reader, readable: true, writable: false, onread: { buffer, callback } }).resume()
}

/** Shared by all streams and as large as a pipe: a chunk is consumed before the next one is read. */
let buffer: Buffer | null = null
