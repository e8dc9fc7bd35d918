import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProgressCallback } from '@modelcontextprotocol/client'
import { compileCache, createHome, type Gateway, type Home } from './gateway.ts'

const program = fileURLToPath(new URL('../fixtures/hostile/hostile-server.ts', import.meta.url))

/** One line of a hostile server's record: a start, a received message, or an action. */
export interface Recorded {
  readonly event: string
  readonly detail: {
    readonly requestId?: number
    readonly id?: number
    readonly name?: string
    readonly level?: string
  } | null
  readonly pid: number
  readonly at: number
}

/**
 * Creates a home with the server `healthy`, which must not be affected, and hostile ones: a single mode is the server `hostile`,
 * several modes are servers with the names of the modes.
 */
export function hostileHome(modes: string | readonly string[], settings: object = {}): Promise<Home> {
  const hostile =
    typeof modes === 'string'
      ? { hostile: modes }
      : Object.fromEntries(modes.map((mode) => [mode.replace('then:', ''), mode]))
  return createHome(({ folder, tag }) => {
    const server = (name: string, mode: string): object => ({
      command: process.execPath,
      args: [program, mode, join(folder, `${name}.jsonl`), tag],
      env: compileCache,
    })
    const limits = { timeout: 1_500, startTimeout: 10_000, ...settings }
    const servers = Object.entries(hostile).map(([name, mode]) => [
      name,
      { ...server(name, mode), ...limits },
    ])
    return { healthy: server('healthy', 'healthy'), ...Object.fromEntries(servers) }
  })
}

/** The entries of one kind in a hostile server's record. */
export function recorded(home: Home, event: string, server = 'hostile'): Recorded[] {
  const file = join(home.folder, `${server}.jsonl`)
  if (!existsSync(file)) return []
  // The last line may be incomplete while it is being written.
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
  return lines.map((line): Recorded => JSON.parse(line)).filter((entry) => entry.event === event)
}

export interface Ended {
  readonly isError: boolean
  readonly text: string
  readonly code: string | undefined
  readonly details: Readonly<Record<string, unknown>>
  readonly ms: number
}

export interface CallOptions {
  readonly params?: Record<string, unknown>
  readonly signal?: AbortSignal
  readonly onprogress?: ProgressCallback
}

/** Calls a tool; returns its outcome and duration. */
export async function call(gateway: Gateway, name: string, options: CallOptions = {}): Promise<Ended> {
  const { params = {}, ...rest } = options
  const start = performance.now()
  const result = await gateway.client.callTool({ name, arguments: params }, { ...rest, timeout: 40_000 })
  const details = (result.structuredContent ?? {}) as Record<string, unknown>
  return {
    isError: result.isError === true,
    text: result.content.map((part) => (part.type === 'text' ? part.text : `(${part.type})`)).join('\n'),
    code: result.isError === true ? (details.code as string) : undefined,
    details,
    ms: performance.now() - start,
  }
}

/** The slowest response of the healthy server, which is called repeatedly while `work` is pending. */
export async function meanwhile<T>(
  gateway: Gateway,
  work: Promise<T>,
): Promise<{ value: T; slowestMs: number }> {
  let done = false
  const asking = (async () => {
    let slowestMs = 0
    for (let i = 0; !done; i++) {
      const { text, ms, isError } = await call(gateway, 'mcp__healthy__echo', {
        params: { text: `still ${i}` },
      })
      if (isError || text !== `still ${i}`) throw new Error(`the healthy server answered: ${text}`)
      slowestMs = Math.max(slowestMs, ms)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    return slowestMs
  })()
  try {
    const value = await Promise.race([work, asking.then(() => work)])
    done = true
    return { value, slowestMs: await asking }
  } finally {
    done = true
  }
}
