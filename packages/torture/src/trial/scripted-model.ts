import type { Call, ModelSetup } from '../adapter/adapter.ts'
import { type SentResult, toSent } from '../host/messages.ts'
import { openaiApiFormat } from '../model-server/openai-format.ts'
import {
  type ModelServer,
  type Reply,
  startModelServer,
  testKey,
} from '../model-server/start-model-server.ts'
import type { ReceivedRequest } from '../model-server/wire-format.ts'
import { monotonicMs } from '../tools/record-event.ts'
import { resultsIn } from './results-in.ts'

/** Gets requests and decides what the model does; `null` leaves it to the plan. */
export type Script = (request: ReceivedRequest, index: number) => Reply | null

export interface Plan {
  /** The calls are in the response that is sent now. */
  onRequest(ms: number): void
  onResults(results: readonly SentResult[], ms: number): void
}

/** A model on a loopback port that requests the calls of a case, and reads their results. */
export class ScriptedModel {
  readonly setup: ModelSetup
  readonly #server: ModelServer
  #planned: readonly Call[] = []
  #plan: Plan | null = null
  #script: Script | null = null

  private constructor(format: ModelSetup['format'], server: ModelServer) {
    this.#server = server
    this.setup = { format, url: server.url, key: testKey }
  }

  static async start(format: ModelSetup['format']): Promise<ScriptedModel> {
    const server = await startModelServer({
      format: format === 'openai' ? openaiApiFormat : format,
      script: (request, index) => model.#reply(request, index),
    })
    const model = new ScriptedModel(format, server)
    return model
  }

  /** The next response has these calls. */
  plan(calls: readonly Call[], plan: Plan): void {
    this.#planned = calls
    this.#plan = plan
  }

  follow(script: Script): void {
    this.#script = script
  }

  get requests(): ModelServer['requests'] {
    return this.#server.requests
  }

  /** The requests that the real provider would have rejected, and why. */
  get problems(): string[] {
    return this.#server.requests.flatMap(({ problem }) => problem ?? [])
  }

  close(): Promise<void> {
    return this.#server.close()
  }

  #reply(request: ReceivedRequest, index: number): Reply {
    const scripted = this.#script?.(request, index)
    if (scripted) return scripted
    if (this.#planned.length > 0) {
      const calls = this.#planned
      this.#planned = []
      this.#plan?.onRequest(monotonicMs())
      return calls.map(({ id, name, params }) => ({
        call: { id, name: this.offeredName(request, name), input: this.#toInput(params) },
      }))
    }
    const results = resultsIn(this.setup.format, request.body).map(toSent)
    this.#plan?.onResults(results, monotonicMs())
    this.#plan = null
    return [{ text: 'All of it is done.' }]
  }

  /**
   * The name under which a product offers a tool, such as `mcp__server__tool` or `the_tool`. Unknown names stay,
   * but the name of a missing server's tool becomes one that a model can write.
   */
  offeredName({ body }: ReceivedRequest, name: string): string {
    const pattern = new RegExp(`^(?:.*[^a-z0-9-])?${name.split('/').map(toPattern).join('[^]*[^a-z0-9-]')}$`)
    const offered = toolNames(this.setup.format, body).filter((one) => pattern.test(one))
    // The shortest one has no more than a prefix.
    const [found = name.replace('/', '_')] = offered.sort((a, b) => a.length - b.length)
    return found
  }

  /** Google's protocol has objects where the others have JSON. */
  #toInput(params: string): unknown {
    if (this.setup.format !== 'google') return params
    try {
      return JSON.parse(params)
    } catch {
      return params
    }
  }
}

/** Some products replace the hyphens of names. */
const toPattern = (text: string): string =>
  text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('-', '[-_]')

function toolNames(format: ModelSetup['format'], body: ReceivedRequest['body']): string[] {
  const tools = (body.tools ?? []) as readonly Readonly<Record<string, unknown>>[]
  switch (format) {
    case 'openai':
      return tools.map((tool) => (tool.function as { name: string }).name)
    case 'anthropic':
      return tools.map((tool) => tool.name as string)
    case 'google':
      return tools.flatMap(({ functionDeclarations = [] }) =>
        (functionDeclarations as { name: string }[]).map(({ name }) => name),
      )
  }
}
