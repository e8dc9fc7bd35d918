import { isJsonObject } from '@curfew/core/internal'
import type { JSONRPCMessage, JSONRPCRequest, Tool } from '@modelcontextprotocol/server'
import type { Gateway } from '../gateway/gateway.ts'

/** The versions that begin with `initialize`. For any other one, the SDK negotiates. */
export const openingVersions: readonly string[] = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']

/**
 * Answers the first requests of a client, `initialize` and `tools/list`, exactly as the SDK would, but without loading it, which takes
 * longer than everything else. Whatever is unusual, and everything after that, is left to the SDK.
 */
export class OpeningExchange {
  readonly #gateway: Gateway
  readonly #answered: JSONRPCMessage[] = []
  #tools: readonly unknown[] | null = null

  constructor(gateway: Gateway) {
    this.#gateway = gateway
  }

  /** The messages that were handled, for the SDK's server: it has to know the client. */
  get answered(): readonly JSONRPCMessage[] {
    return this.#answered
  }

  /** The tools have been listed, so there is time to load the SDK. */
  get isComplete(): boolean {
    return this.#tools !== null
  }

  /** The tools have changed since they were listed. */
  get isOutdated(): boolean {
    return this.#tools !== null && this.#tools !== this.#gateway.opening?.tools
  }

  /** Returns the response, `null` if the message needs none, and `undefined` if the SDK has to handle it. */
  handle(message: JSONRPCMessage): JSONRPCMessage | null | undefined {
    const { opening } = this.#gateway
    if (opening === null || this.isComplete || !('method' in message)) return undefined
    const isFirst = this.#answered.length === 0
    if (!('id' in message)) {
      if (isFirst || message.method !== 'notifications/initialized' || message.params !== undefined)
        return undefined
      this.#answered.push(message)
      return null
    }
    if (isFirst && isPlainInitialize(message)) {
      this.#answered.push(message)
      const { protocolVersion } = message.params!
      return response(message, { protocolVersion, ...opening.description })
    }
    if (isFirst || message.method !== 'tools/list' || Object.keys(message.params ?? {}).length > 0)
      return undefined
    if (opening.tools.some(isUnusual)) return undefined
    this.#tools = opening.tools
    return response(message, { tools: opening.tools })
  }
}

/** The SDK changes an output schema that is not for an object, which the 2025 protocol does not have. */
function isUnusual({ outputSchema }: Tool): boolean {
  return outputSchema !== undefined && outputSchema.type !== 'object'
}

function response({ id }: JSONRPCRequest, result: Record<string, unknown>): JSONRPCMessage {
  return { jsonrpc: '2.0', id, result }
}

/** Accepts only what the SDK certainly accepts as well. */
function isPlainInitialize({ method, params = {} }: JSONRPCRequest): boolean {
  const { protocolVersion, capabilities, clientInfo, _meta } = params
  return (
    method === 'initialize' &&
    _meta === undefined &&
    openingVersions.includes(protocolVersion as string) &&
    isPlainClientInfo(clientInfo) &&
    arePlainCapabilities(capabilities)
  )
}

function isPlainClientInfo(info: unknown): boolean {
  if (!isJsonObject(info)) return false
  const { name, version, title, websiteUrl, description, icons } = info
  const optional = [title, websiteUrl, description].filter((value) => value !== undefined)
  return [name, version, ...optional].every((value) => typeof value === 'string') && icons === undefined
}

function arePlainCapabilities(capabilities: unknown): boolean {
  if (!isJsonObject(capabilities)) return false
  const { roots = {}, sampling = {}, elicitation = {}, experimental = {}, extensions = {} } = capabilities
  if (
    capabilities.tasks !== undefined ||
    !isJsonObject(roots) ||
    !isJsonObject(sampling) ||
    !isJsonObject(elicitation)
  )
    return false
  const { context = {}, tools = {} } = sampling
  const { form = {}, url = {} } = elicitation
  return (
    isOptionalFlag(roots.listChanged) &&
    isJsonObject(form) &&
    isOptionalFlag(form.applyDefaults) &&
    [context, tools, url].every(isJsonObject) &&
    [experimental, extensions].every(
      (group) => isJsonObject(group) && Object.values(group).every(isJsonObject),
    )
  )
}

function isOptionalFlag(value: unknown): boolean {
  return value === undefined || typeof value === 'boolean'
}
