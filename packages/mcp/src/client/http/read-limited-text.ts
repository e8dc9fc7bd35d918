import { CurfewError } from '@curfew/core'

/** The whole body as text. Rejects with `problem` as soon as there is more of it than `maxBytes`. */
export async function readLimitedText(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
  problem: string,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Whoever leaves the loop cancels the stream.
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new CurfewError('TRANSPORT_FAILED', problem)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** What to call `new Response` with, so that only the body is another one. */
export function sameHead({ status, statusText, headers }: Response): ResponseInit {
  const kept = new Headers(headers)
  // They are about the body as it came.
  for (const name of ['content-length', 'content-encoding']) kept.delete(name)
  return { status, statusText, headers: kept }
}

export function isJson({ headers }: Response): boolean {
  return /^\s*application\/(?:[^;]*\+)?json\b/i.test(headers.get('content-type') ?? '')
}
