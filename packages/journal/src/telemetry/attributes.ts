/**
 * Every name that leaves this package. The GenAI and MCP conventions of OpenTelemetry are still in development: their names may change
 * and are therefore only here. See https://github.com/open-telemetry/semantic-conventions-genai.
 */
export const operationName = 'gen_ai.operation.name'
export const operations = {
  executeTool: 'execute_tool',
  invokeAgent: 'invoke_agent',
  chat: 'chat',
} as const
export const conversationId = 'gen_ai.conversation.id'
export const agentName = 'gen_ai.agent.name'
export const providerName = 'gen_ai.provider.name'
export const errorType = 'error.type'
/** The value of `error.type` if there is no better one. */
export const otherError = '_OTHER'

export const toolName = 'gen_ai.tool.name'
export const toolCallId = 'gen_ai.tool.call.id'
export const toolType = 'gen_ai.tool.type'
/** Only with `content`. */
export const toolDescription = 'gen_ai.tool.description'
export const toolArguments = 'gen_ai.tool.call.arguments'
export const toolResult = 'gen_ai.tool.call.result'

export const requestModel = 'gen_ai.request.model'
export const requestStream = 'gen_ai.request.stream'
export const requestMaxTokens = 'gen_ai.request.max_tokens'
export const requestTemperature = 'gen_ai.request.temperature'
export const requestTopP = 'gen_ai.request.top_p'
export const requestTopK = 'gen_ai.request.top_k'
export const responseModel = 'gen_ai.response.model'
export const responseId = 'gen_ai.response.id'
export const finishReasons = 'gen_ai.response.finish_reasons'
/** In seconds. */
export const timeToFirstChunk = 'gen_ai.response.time_to_first_chunk'
export const inputTokens = 'gen_ai.usage.input_tokens'
export const outputTokens = 'gen_ai.usage.output_tokens'
export const cacheReadTokens = 'gen_ai.usage.cache_read.input_tokens'
export const cacheWriteTokens = 'gen_ai.usage.cache_creation.input_tokens'
export const reasoningTokens = 'gen_ai.usage.reasoning.output_tokens'

export const mcpMethod = 'mcp.method.name'
export const networkTransport = 'network.transport'

// Curfew's own.
export const callUid = 'curfew.call.uid'
/** `builtin`, `script`, `api`, `mcp-stdio`... */
export const adapter = 'curfew.tool.adapter'
/** The name of the MCP server in mcp.json. */
export const serverName = 'curfew.mcp.server'
export const timeoutMs = 'curfew.timeout_ms'
/** Which setting the timeout comes from. */
export const timeoutSource = 'curfew.timeout_source'
/** `rule`, `answer`, `readOnly`... */
export const allowedBy = 'curfew.allowed_by'
/** From the request to the start: for earlier calls, a slot and approval. */
export const waitedMs = 'curfew.waited_ms'
/** The part of it that a person needed to approve the call. */
export const approvalMs = 'curfew.approval_ms'
/** How long the running call waited for a person. */
export const pausedMs = 'curfew.paused_ms'
/** The call only loaded the definition of its tool. */
export const loaded = 'curfew.loaded'
/** The tool ignored its signal and was left running. */
export const abandoned = 'curfew.abandoned'
/** The uid of the background task that continues the call. */
export const detachedTo = 'curfew.detached_to'
/** The span is that of a background task. */
export const background = 'curfew.background'
/** Why a turn of an agent ended. */
export const endReason = 'curfew.agent.end_reason'

/** An event of a call that is retried with another key; `attempt` counts from 1. */
export const retryEvent = 'curfew.retry'
export const attempt = 'curfew.attempt'

export const metrics = {
  /** `gen_ai.tool.name`, `gen_ai.tool.type`, `gen_ai.agent.name` and `error.type`. */
  executeTool: 'gen_ai.execute_tool.duration',
  /** `gen_ai.agent.name` and `error.type`. */
  invokeAgent: 'gen_ai.invoke_agent.duration',
  /** `gen_ai.operation.name`, `gen_ai.provider.name`, `gen_ai.request.model`, `gen_ai.response.model` and `error.type`. */
  chat: 'gen_ai.client.operation.duration',
} as const
/** In seconds, as the conventions require. */
const operationBuckets = [
  0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92,
]
export const buckets: Readonly<Record<keyof typeof metrics, readonly number[]>> = {
  executeTool: operationBuckets,
  invokeAgent: [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 12.8, 25.6, 51.2, 102.4, 204.8, 409.6],
  chat: operationBuckets,
}
