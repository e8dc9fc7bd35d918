import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CallResult, createRuntime, type Runtime } from '@curfew/core'
import { type Extensions, loadExtensions } from '@curfew/extensions'
import { afterEach, beforeEach } from 'vitest'
import { type ApiServer, type Respond, startApiServer } from './api-server.ts'

export const described = { description: 'Ask a server.' } as const

export function messageOf(result: CallResult): string {
  return result.status === 'success' ? '' : result.message
}

/** Provides a folder of files and servers for each test. Secrets in the environment start with APITEST_. */
class Apis {
  files!: ApiFiles
  readonly #servers: ApiServer[] = []

  open(): void {
    // A machine behind a proxy must not send loopback through it.
    for (const name of Object.keys(process.env)) if (/^https?_proxy$/i.test(name)) delete process.env[name]
    this.files = new ApiFiles()
  }

  async serve(respond: Respond = ({ method, path }) => ({ method, path })): Promise<ApiServer> {
    return this.closeLater(await startApiServer(respond))
  }

  closeLater(server: ApiServer): ApiServer {
    this.#servers.push(server)
    return server
  }

  async close(): Promise<void> {
    for (const server of this.#servers.splice(0)) await server.close()
    await this.files.close()
    for (const name of Object.keys(process.env)) if (name.startsWith('APITEST_')) delete process.env[name]
  }
}

export function useApis(): Apis {
  const apis = new Apis()
  beforeEach(() => apis.open())
  afterEach(() => apis.close())
  return apis
}

/** A user folder with API files, and a runtime that calls their tools. */
class ApiFiles {
  readonly home: string = mkdtempSync(join(tmpdir(), 'curfew-home-'))
  readonly runtime: Runtime = createRuntime({ approval: 'allow', log: () => {} })

  write(name: string, definition: unknown): string {
    const folder = join(this.home, '.config', 'curfew', 'extensions', 'apis')
    mkdirSync(folder, { recursive: true })
    const file = join(folder, `${name}.json`)
    writeFileSync(file, typeof definition === 'string' ? definition : JSON.stringify(definition))
    return file
  }

  load(): Promise<Extensions> {
    return loadExtensions({ cwd: this.home, env: { HOME: this.home } })
  }

  async call(name: string, params: unknown = {}, timeout?: number): Promise<CallResult> {
    const { tools, problems } = await this.load()
    const unregister = this.runtime.register(tools.map(({ tool }) => tool))
    const [result] = await this.runtime.execute([
      { id: '1', name, params, ...(timeout !== undefined && { timeout }) },
    ])
    unregister()
    if (result!.status === 'error' && result!.code === 'TOOL_NOT_FOUND') {
      throw new Error(problems.map(({ field, message }) => `${field}: ${message}`).join('\n'))
    }
    return result!
  }

  /** Writes a file with this endpoint and calls its tool. */
  async send(
    endpoint: object,
    params: unknown = {},
    more: object = {},
    timeout?: number,
  ): Promise<CallResult> {
    this.write('probe', { description: 'Ask a server.', endpoint, parameters: declare(params), ...more })
    return await this.call('api_probe', params, timeout)
  }

  async close(): Promise<void> {
    await this.runtime.close()
    rmSync(this.home, { recursive: true, force: true })
  }
}

/** Declares parameters with the types of the values. */
function declare(params: unknown): Record<string, { type: string }> {
  return Object.fromEntries(
    Object.entries(Object(params)).map(([name, value]) => [
      name,
      { type: Array.isArray(value) ? 'array' : typeof value },
    ]),
  )
}
