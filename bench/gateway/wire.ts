/** A transport for messages to and from a server. */
export interface Wire {
  /** Resolves when messages can be sent. */
  readonly ready?: Promise<void>
  send(text: string, failed: (error: Error) => void, sent?: () => void): void
  /** The negotiated protocol version. */
  agree?(protocolVersion: string): void
  close(): void
}

export interface WireEvents {
  message(text: string): void
  lost(error: Error): void
}

/** Rejects if the promise does not settle in time, so that an unresponsive server fails the bench. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no response within ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([promise, expired])
  } finally {
    clearTimeout(timer)
  }
}
