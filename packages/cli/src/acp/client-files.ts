import { type AgentContext, type ClientCapabilities, methods } from '@agentclientprotocol/sdk'
import type { EditorFiles } from '@curfew/agent/tools'
import { abortable } from '@curfew/core/internal'

/** Files are also read to show a change before it is approved, which must not wait for an editor that does not answer. */
const answerMs = 3_000

/** The editor's file system, if it can be read. */
export function clientFiles(
  client: AgentContext,
  { fs }: ClientCapabilities,
  sessionId: () => string,
): EditorFiles | undefined {
  if (fs?.readTextFile !== true) return undefined
  const options = (cancellationSignal: object) => ({ cancellationSignal: cancellationSignal as AbortSignal })
  let answers = true
  return {
    async readText(path, signal) {
      if (!answers) throw new Error('the editor does not answer')
      const limit = AbortSignal.any([signal as AbortSignal, AbortSignal.timeout(answerMs)])
      const request = { sessionId: sessionId(), path }
      const response = client.request(methods.client.fs.readTextFile, request, options(limit))
      const isAnswered = (): void => {
        answers = true
      }
      response.then(isAnswered, isAnswered)
      const { content } = await abortable(response, limit).catch((error: unknown) => {
        if (limit.aborted) answers = signal.aborted
        throw error
      })
      return content
    },
    ...(fs.writeTextFile === true && {
      async writeText(path, content, signal) {
        const request = { sessionId: sessionId(), path, content }
        await client.request(methods.client.fs.writeTextFile, request, options(signal))
      },
    }),
  }
}
