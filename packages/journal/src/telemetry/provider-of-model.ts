/** The names of the conventions for providers whose packages for the AI SDK have another one. The first that matches counts. */
const providers: readonly (readonly [RegExp, string])[] = [
  [/^(?:google\.)?vertex\b/, 'gcp.vertex_ai'],
  [/^google\b/, 'gcp.gemini'],
  [/^azure\b/, 'azure.ai.openai'],
  [/^(?:amazon-)?bedrock\b/, 'aws.bedrock'],
  [/^mistral\b/, 'mistral_ai'],
  [/^xai\b/, 'x_ai'],
  [/^moonshotai\b/, 'moonshot_ai'],
]

/** `gen_ai.provider.name` for the `provider` of a model: `anthropic.messages` is `anthropic`. */
export function providerOfModel(provider: string): string {
  return providers.find(([pattern]) => pattern.test(provider))?.[1] ?? provider.split('.', 1)[0]!
}
