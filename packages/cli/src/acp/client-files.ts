import { type AgentContext, type ClientCapabilities, methods } from '@agentclientprotocol/sdk'
import type { EditorFiles } from '@curfew/agent/tools'

/** The editor's file system, if it can be read. */
export function clientFiles(
  client: AgentContext,
  { fs }: ClientCapabilities,
  sessionId: () => string,
): EditorFiles | undefined {
  if (fs?.readTextFile !== true) return undefined
  const options = (cancellationSignal: object) => ({ cancellationSignal: cancellationSignal as AbortSignal })
  return {
    async readText(path, signal) {
      const request = { sessionId: sessionId(), path }
      return (await client.request(methods.client.fs.readTextFile, request, options(signal))).content
    },
    ...(fs.writeTextFile === true && {
      async writeText(path, content, signal) {
        const request = { sessionId: sessionId(), path, content }
        await client.request(methods.client.fs.writeTextFile, request, options(signal))
      },
    }),
  }
}
