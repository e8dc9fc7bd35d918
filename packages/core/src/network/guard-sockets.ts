import { subscribe } from 'node:diagnostics_channel'
import type { EventEmitter } from 'node:events'
import { Socket } from 'node:net'

let isGuarded = false

/**
 * Keeps a server from ending this process. If it closes a connection while its response waits for the reader, undici 7 (and so Node's
 * `fetch`) throws an error that nobody can catch (https://github.com/nodejs/undici/issues/5360). Applies to all connections of undici
 * that are opened from now on; can be removed once we require a Node with undici 8.
 */
export function guardSockets(): void {
  if (isGuarded) return
  isGuarded = true
  subscribe('undici:client:connected', (message) => {
    const { socket } = message as { readonly socket?: unknown }
    if (socket instanceof Socket) guard(socket)
  })
}

function guard(socket: Socket): void {
  const emit = socket.emit as EventEmitter['emit']
  socket.emit = (event: string | symbol, ...args: unknown[]): boolean => {
    if (event === 'end' || event === 'error' || event === 'close') resumeParser(socket)
    return emit.call(socket, event, ...args)
  }
}

/** Delivers what was received, as undici 8 does: how much the reader wants at once is advisory. */
function resumeParser(socket: Socket): void {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser')
  const parser = key === undefined ? null : (socket as unknown as Record<symbol, Parser | null>)[key]
  if (parser?.paused !== true) return
  try {
    // It pauses again after each part while the reader is slower.
    let left: number
    do {
      left = socket.readableLength
      parser.resume()
    } while (parser.paused && socket.readableLength > 0 && socket.readableLength < left)
    // Its end is not noticed while it is paused.
    if (parser.paused) parser.llhttp.llhttp_resume(parser.ptr)
  } catch {
    // The response fails like any other that was cut off.
  }
  // After a reset, it cannot be resumed, but its end is still checked.
  parser.paused = false
}

interface Parser {
  paused: boolean
  resume(): void
  readonly llhttp: { llhttp_resume(parser: unknown): void }
  readonly ptr: unknown
}
