import { expect, test } from 'vitest'
import { providerOfModel } from './provider-of-model.ts'

test.each([
  ['anthropic.messages', 'anthropic'],
  ['openai.responses', 'openai'],
  ['google.generative-ai', 'gcp.gemini'],
  ['google.vertex.chat', 'gcp.vertex_ai'],
  ['vertex.anthropic.messages', 'gcp.vertex_ai'],
  ['azure.chat', 'azure.ai.openai'],
  ['amazon-bedrock', 'aws.bedrock'],
  ['mistral.chat', 'mistral_ai'],
  ['xai.chat', 'x_ai'],
  ['groq.chat', 'groq'],
  ['ollama.chat', 'ollama'],
  ['googly.chat', 'googly'],
])('%s is %s', (provider, name) => {
  expect(providerOfModel(provider)).toBe(name)
})
