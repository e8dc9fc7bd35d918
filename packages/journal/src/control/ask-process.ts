import type { LiveRun } from '../store/read-live-calls.ts'
import { connectControl } from './connect-control.ts'

/** Sends one request to a process; `null` if it does not respond, or another one has its socket by now. */
export async function askProcess<T extends { readonly run: string }>(
  { run: { socket, name } }: LiveRun,
  method: string,
  read: (result: unknown) => T | null,
  timeoutMs: number | undefined,
  params: object = {},
): Promise<T | null> {
  if (socket === null) return null
  const client = await connectControl(socket, { timeoutMs }).catch(() => null)
  if (client === null) return null
  try {
    const result = read(await client.request(method, params))
    return result?.run === name ? result : null
  } catch {
    return null
  } finally {
    client.close()
  }
}
