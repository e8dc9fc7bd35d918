export { anthropicFormat } from './anthropic-format.ts'
export { googleFormat } from './google-format.ts'
export { openaiApiFormat, openaiFormat } from './openai-format.ts'
export { responsesFormat } from './responses-format.ts'
export {
  type ErrorReply,
  formats,
  type ModelServer,
  type ModelServerOptions,
  type RawReply,
  type RecordedRequest,
  type Reply,
  type Step,
  startModelServer,
  testKey,
  wireFormats,
} from './start-model-server.ts'
export type { Finish, ReceivedRequest, StreamWriter, WireFormat, WrittenCall } from './wire-format.ts'
