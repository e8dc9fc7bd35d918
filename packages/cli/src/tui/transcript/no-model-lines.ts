import { messageOf } from '@curfew/core/internal'
import { NoModelError } from '../../models/no-model-error.ts'
import { hang, neutralise } from '../../terminal.ts'
import type { Layout } from './transcript.ts'

const ways: readonly (readonly [input: string, explanation: string])[] = [
  [
    'export ANTHROPIC_API_KEY=...',
    'a key in your shell (or GEMINI_API_KEY, OPENAI_API_KEY), then start curfew again',
  ],
  [
    'curfew secret set ANTHROPIC_API_KEY --for api.anthropic.com',
    'the same key, stored encrypted or in the keychain of this machine',
  ],
  ['/model openai-compatible:NAME@http://127.0.0.1:11434/v1', 'a local server such as Ollama; no key needed'],
]

/** How to configure a model; `isShort`: only why there is none. Without one, only prompts do not work. */
export function noModelLines(problem: unknown, { width, theme }: Layout, isShort = false): string[] {
  const reason = hang('! ', reasonOf(problem), width).map(theme.warning)
  if (isShort) return reason
  return [
    ...reason,
    ...hang(
      '  ',
      'Commands (/help), !commands and @files work without a model. The shortest ways to use one:',
      width,
    ),
    ...ways.flatMap(([input, explanation], index) => [
      ...hang(`  ${index + 1}. `, input, width).map(theme.accent),
      ...hang('     ', explanation, width).map(theme.muted),
    ]),
  ]
}

/** If a model is configured, why it cannot be used. */
function reasonOf(problem: unknown): string {
  const { cause } = Object(problem) as { readonly cause?: unknown }
  const isMissing = [problem, cause].some((error) => error instanceof NoModelError)
  return isMissing
    ? 'No model is configured.'
    : neutralise(messageOf(problem))
        .replace(/^curfew: /, '')
        .split('\n')[0]!
}
