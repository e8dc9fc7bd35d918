import { CurfewError } from '@curfew/core'

/** Reads the body as a string. Rejects with `problem` as soon as it exceeds `maxBytes`. */
export async function readLimitedText(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  problem: string,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop cancels the stream.
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new CurfewError('TRANSPORT_FAILED', problem)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Options for a `Response` with the same head and another body. */
export function sameHead({ status, statusText, headers }: Response): ResponseInit {
  const kept = new Headers(headers)
  // They describe the original body.
  for (const name of ['content-length', 'content-encoding']) kept.delete(name)
  return { status, statusText, headers: kept }
}

export function isJson({ headers }: Response): boolean {
  return /^\s*application\/(?:[^;]*\+)?json\b/i.test(headers.get('content-type') ?? '')
}
