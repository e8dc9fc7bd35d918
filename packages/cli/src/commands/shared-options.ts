/** Options of several commands, declared once so that they mean the same everywhere. */

export const setOption = {
  type: 'string',
  placeholder: 'KEY=VALUE',
  multiple: true,
  summary: 'Change a setting for this run, as in limits.depth=3; curfew config lists all settings',
} as const

export const timeoutOption = {
  type: 'duration',
  placeholder: 'DURATION',
} as const

export const viewOption = {
  type: 'choice',
  choices: ['stub', 'brief', 'full'],
  placeholder: 'VIEW',
} as const

export const userOption = {
  type: 'boolean',
  conflicts: ['project'],
  summary: 'Write to your own configuration folder, for all your projects',
} as const

export const projectOption = {
  type: 'boolean',
  summary: "Write to this project's .curfew, which is created and trusted if there is none",
} as const

export const storeSecretsOption = {
  type: 'boolean',
  summary:
    'Store keys found among the values as secrets, and write secret:NAME in their place. Without it, you are prompted on a terminal',
} as const

/** Of every command that uses a model. */
export const modelOption = {
  type: 'string',
  placeholder: 'PROVIDER:NAME[@URL]',
  summary:
    'The provider is google, anthropic or openai-compatible; @URL is the base URL of another server, as in openai-compatible:qwen3@http://127.0.0.1:8080/v1',
} as const
