import type { IncomingMessage } from 'node:http'

export type Body = { readonly text: string } | 'too-large' | 'aborted'

/** Reads the body. Resolves as soon as it is too large. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Body> {
  return new Promise((resolve) => {
    if (Number(request.headers['content-length']) > limitBytes) {
      resolve('too-large')
      return
    }
    let first: Buffer | undefined
    let rest: Buffer[] | undefined
    let bytes = 0
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length
      if (bytes > limitBytes) {
        request.off('data', onData)
        resolve('too-large')
      } else if (first === undefined) {
        first = chunk
      } else {
        rest ??= [first]
        rest.push(chunk)
      }
    }
    request.on('data', onData)
    request.on('end', () => {
      const whole = rest === undefined ? first : Buffer.concat(rest)
      resolve({ text: whole === undefined ? '' : whole.toString('utf8') })
    })
    // Without a listener an aborted request would throw; `close` follows in any case.
    request.on('error', () => {})
    request.on('close', () => resolve('aborted'))
  })
}
