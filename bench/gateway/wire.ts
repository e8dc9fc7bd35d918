/** How messages get to a server and back. */
export interface Wire {
  /** From when on messages can be sent. */
  readonly ready?: Promise<void>
  send(text: string, failed: (error: Error) => void, sent?: () => void): void
  /** The version that the two sides agreed on. */
  agree?(protocolVersion: string): void
  close(): void
}

export interface WireEvents {
  message(text: string): void
  lost(error: Error): void
}

/** So that a server which says nothing ends the bench with an error. */
export async function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${milliseconds} ms`)), milliseconds)
  })
  try {
    return await Promise.race([promise, expired])
  } finally {
    clearTimeout(timer)
  }
}
