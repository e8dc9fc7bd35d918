import type { Implementation, ServerCapabilities } from '@modelcontextprotocol/server'
import { tasksExtension } from '../client/tasks/tasks-extension.ts'
import { version } from '../version.ts'

/** What clients learn about the gateway when they connect. */
export interface GatewayDescription {
  readonly capabilities: ServerCapabilities
  readonly serverInfo: Implementation
  /** For the client's model. */
  readonly instructions?: string
}

export function describeGateway(era: 'legacy' | 'modern', instructions: string | null): GatewayDescription {
  return {
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      logging: {},
      ...(era === 'legacy'
        ? { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } }
        : { extensions: { [tasksExtension]: {} } }),
    },
    serverInfo: { name: 'curfew', title: 'Curfew', version },
    ...(instructions !== null && { instructions }),
  }
}
