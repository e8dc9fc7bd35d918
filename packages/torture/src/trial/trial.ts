import type { Adapter, ApiSetup, Feature, ServerSetup, Settings } from '../adapter/adapter.ts'
import type { HostSetup, ToolRequest } from '../host/messages.ts'
import { CaseFiles } from '../observe/case-files.ts'
import { end, findByCommandLine, findMarked, type Process } from '../observe/processes.ts'
import { type ApiServer, startApiServer } from '../servers/start-api-server.ts'
import { monotonicMs } from '../tools/record-event.ts'
import { NotApplicable } from './failed.ts'
import { HostProcess } from './host-process.ts'
import { ScriptedModel } from './scripted-model.ts'
import { Subject } from './subject.ts'

export interface Product {
  /** The adapter's file. */
  readonly adapter: string
  readonly settings: Settings
  readonly features: Readonly<Partial<Record<Feature, true | string>>>
  readonly minLimitMs: number
  readonly commandCall: Adapter['commandCall']
}

export interface OpenOptions {
  readonly tools?: readonly (string | ToolRequest)[]
  /** MCP servers, by name, with their fault. */
  readonly servers?: Readonly<Record<string, string>>
  /** APIs, by the path of the suite's server. */
  readonly apis?: readonly string[]
  /** @default 1_000 */
  readonly limitMs?: number
  /** The case is about this limit, so it applies even if it is shorter than what the adapter asks for. */
  readonly isLimitExact?: true
  readonly maxCalls?: number
  /** @default 'openai' */
  readonly format?: 'google' | 'anthropic' | 'openai'
  /** Continues the conversation of an earlier host of this case, with the same model. */
  readonly resume?: true
}

export interface Note {
  readonly ms: number
  readonly name: string
  readonly detail: unknown
}

let trials = 0

/** One case with one product: its processes, files and servers, and what happened. */
export class Trial {
  readonly files: CaseFiles = new CaseFiles()
  readonly notes: Note[] = []
  readonly #product: Product
  readonly #marker = `${process.pid}-${++trials}`
  readonly #startMs = monotonicMs()
  readonly #hosts: HostProcess[] = []
  readonly #models: ScriptedModel[] = []
  #api: Promise<ApiServer> | null = null

  constructor(product: Product) {
    this.#product = product
  }

  readonly note = (name: string, detail: unknown = null): void => {
    this.notes.push({ ms: Math.round(monotonicMs() - this.#startMs), name, detail })
  }

  needs(feature: Feature): void {
    const offered = this.#product.features[feature] ?? 'the adapter does not mention it'
    if (offered !== true) throw new NotApplicable(offered)
  }

  async open(options: OpenOptions = {}): Promise<Subject> {
    const { tools = [], servers = {}, apis = [], maxCalls = null } = options
    const { limitMs: wantedMs = 1_000, isLimitExact = false } = options
    const limitMs = isLimitExact ? wantedMs : Math.max(wantedMs, this.#product.minLimitMs)
    const host = new HostProcess(
      this.#product.adapter,
      { TORTURE_EVENTS: this.files.events, TORTURE_RUN: this.#marker, TMPDIR: this.files.temporary },
      this.files.folder,
    )
    this.#hosts.push(host)
    const model = this.#product.features.conversation === true ? await this.#modelFor(options) : null
    const requests = tools.map((tool) => (typeof tool === 'string' ? { name: tool } : tool))
    const setup: HostSetup = {
      settings: this.#product.settings,
      folder: this.files.folder,
      resume: options.resume ?? false,
      limitMs,
      maxCalls,
      tools: requests,
      toolServer: this.#server('torture', '', requests),
      servers: Object.entries(servers).map(([name, fault]) =>
        this.#server(name, fault, [{ name: 'quick' }, { name: 'sleeps' }]),
      ),
      apis: await Promise.all(apis.map((path) => this.#toApi(path))),
      model: model?.setup ?? null,
    }
    const { ways } = await host.open(setup)
    const { commandCall } = this.#product
    const hasServer = (): boolean => this.files.readEvents('server').length > 0
    return new Subject({ host, model, limitMs, ways, commandCall, hasServer, note: this.note })
  }

  /** The server of the APIs that misbehave. */
  api(): Promise<ApiServer> {
    this.#api ??= startApiServer()
    return this.#api
  }

  /** What belongs to a host: its descendants, and what inherited its environment. */
  belongingTo(host: HostProcess): Process[] {
    return findMarked(host.pid, `TORTURE_RUN=${this.#marker}`)
  }

  /** Ends whatever is left, and removes the files. */
  async dispose(): Promise<void> {
    for (const host of this.#hosts) {
      const belonging = this.belongingTo(host)
      await host.kill()
      end(belonging)
    }
    for (const host of this.#hosts) end(this.belongingTo(host))
    // A server that was started without the environment of its host has files of the case in its command line.
    end(findByCommandLine(this.files.root))
    // A process may have started another one in the meantime.
    for (let round = 0; round < 20 && this.files.survivors().length > 0; round++) {
      end(this.files.survivors())
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await Promise.all(this.#models.map((model) => model.close()))
    const api = await this.#api
    api?.close()
    this.files.remove()
  }

  async #modelFor({ format = 'openai', resume }: OpenOptions): Promise<ScriptedModel> {
    const last = this.#models.at(-1)
    if (resume === true && last !== undefined) return last
    const model = await ScriptedModel.start(format)
    this.#models.push(model)
    return model
  }

  #server(name: string, fault: string, tools: readonly ToolRequest[]): ServerSetup {
    const schemas = Object.fromEntries(
      tools.flatMap((tool) => (tool.parameters ? [[tool.name, tool.parameters]] : [])),
    )
    const main = new URL('../servers/mcp-server-main.js', import.meta.url).pathname
    const args = [main, '--events', this.files.events, '--tools', tools.map((tool) => tool.name).join(',')]
    return {
      name,
      command: process.execPath,
      args: [...args, '--schemas', JSON.stringify(schemas), ...(fault === '' ? [] : ['--fault', fault])],
    }
  }

  async #toApi(path: string): Promise<ApiSetup> {
    const { url } = await this.api()
    return { name: path.replaceAll('-', '_'), description: `Read ${path}.`, url: `${url}/${path}` }
  }
}
