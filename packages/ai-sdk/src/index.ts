export { type AiSdkTools, type AiSdkToolsOptions, toAiSdkTools } from './to-ai-sdk-tools.ts'
export type { AiSdkToolOutput } from './tool-output.ts'
