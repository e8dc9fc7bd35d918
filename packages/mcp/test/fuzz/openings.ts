import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CurfewError } from '@curfew/core'
import type { Random } from '../../../../test/support/random.ts'
import { ServerState } from '../../src/client/state/server-state.ts'
import { Upstream } from '../../src/client/upstream.ts'
import { type ServerConfig, serverDefaults } from '../../src/config/server-config.ts'
import { openingMessages } from './corpus.ts'
import { mutate } from './mutate.ts'
import type { RemoteFuzzServer } from './remote-fuzz-server.ts'

const startTimeoutMs = 400

/** Connects to servers whose first responses are mutated. It runs in this process, so an uncaught error fails the test. */
export class Openings {
  readonly #remote: RemoteFuzzServer
  readonly #folder: string
  #count = 0

  static async open(remote: RemoteFuzzServer): Promise<Openings> {
    return new Openings(remote, await mkdtemp(join(tmpdir(), 'curfew-openings-')))
  }

  private constructor(remote: RemoteFuzzServer, folder: string) {
    this.#remote = remote
    this.#folder = folder
  }

  get count(): number {
    return this.#count
  }

  async round(random: Random): Promise<void> {
    const file = join(this.#folder, 'lines')
    const lines = openingMessages().flatMap((message) => [mutate(random, message), Buffer.from('\n')])
    await writeFile(file, Buffer.concat(lines))
    const url = this.#remote.openingUrl(random.below(2 ** 31))
    await Promise.all([
      // Prints the file before any request, and then echoes its input.
      this.#connect({ kind: 'stdio', command: 'cat', args: [file, '-'], env: {}, cwd: undefined }),
      this.#connect({ kind: 'http', url, headers: {}, oauth: undefined }),
    ])
  }

  async #connect(target: ServerConfig['target']): Promise<void> {
    this.#count++
    const name = `opening-${this.#count}`
    const root = this.#folder
    const file = join(root, 'mcp.json')
    const config: ServerConfig = { name, file, root, target, ...serverDefaults, startTimeoutMs }
    const state = await ServerState.open(join(root, 'state'), config)
    const upstream = new Upstream(config, { state, readSecret: async () => '', log: () => {} })
    const signal = AbortSignal.timeout(startTimeoutMs + 5_000)
    try {
      await upstream.connect(signal)
      await upstream.request(
        { method: 'tools/call', params: { name: 'act' } },
        { signal: AbortSignal.timeout(200) },
      )
    } catch (error) {
      // Only our own errors and timeouts are expected.
      const isTimeout = error instanceof DOMException && error.name === 'TimeoutError' && !signal.aborted
      if (!(error instanceof CurfewError) && !isTimeout) throw error
    } finally {
      await upstream.close()
    }
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }
}
