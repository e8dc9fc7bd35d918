import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { describedParameters } from './support/parameter-prose.ts'

/** Orders that concern more than this server: to hide something, to ignore others, to come before everything else. */
const orders: readonly RegExp[] = [
  /\b(?:do not|don't|never|without) (?:tell|inform|mention|reveal|show|disclos|notify|alert)\w{0,3}\b[^.\n]{0,60}\b(?:user|person|human|customer)\b/i,
  /\b(?:do not|don't|never) (?:mention|reveal|disclose|tell)\b[^.\n]{0,30}\b(?:this|these|it|anyone|instructions?|tool|prompt)\b/i,
  /\b(?:ignore|disregard|override|forget)\b[^.\n]{0,30}\b(?:previous|prior|other|earlier|above|system|all)\b[^.\n]{0,20}\b(?:instructions?|rules|prompts?|messages?|guidelines)\b/i,
  /\balways (?:use|call|run|invoke|start with) (?:this|it)\b[^.\n]{0,20}\bfirst\b/i,
  /\b(?:call(?:ed)?|used?|invoked?|run)\b[^.\n]{0,40}\bbefore (?:(?:using |calling )?(?:any|all|every) other|(?:doing )?anything)\b/i,
  /\b(?:before|instead of|over) (?:using |calling |running )?(?:any|all|every) other (?:tools?|search|function)/i,
  /\b(?:do not|don't|never) (?:use|call)\b[^.\n]{0,20}\b(?:other|built-in)\b/i,
  /<(?:important|system|instructions?|secret|hidden)>/i,
]

/** Orders to prefer one of the server's own tools, which are common. */
const preferences: readonly RegExp[] = [
  /\balways (?:use|call|run|invoke|prefer|choose|start with) this\b/i,
  /\b(?:must|should|has to|have to|needs? to) (?:call|use|invoke|run|be called|be used)\b[^.\n]{0,60}\bfirst\b/i,
  /\b(?:you|the (?:agent|assistant|model|ai|llm)) (?:must|should) (?:always |never |not )?(?:call|use|invoke|run|prefer) this\b/i,
  /\b(?:call|use|invoke|run) (?:this|it)(?: tool)? first\b/i,
]

/** It may be meant well, but it is also how a server takes over an agent. */
export function* agentInstruction(tool: ReviewedTool): Generator<Problem> {
  const texts = [
    ['/description', tool.description ?? ''] as const,
    ...describedParameters(tool).map(({ pointer, complete }) => {
      const { description } = complete
      return [`${pointer}/description`, typeof description === 'string' ? description : ''] as const
    }),
  ]
  for (const [pointer, text] of texts) {
    const find = (patterns: readonly RegExp[]): string | undefined =>
      patterns.map((pattern) => pattern.exec(text.slice(0, 20_000))?.[0]).find(Boolean)
    const order = find(orders)
    const phrase = order ?? find(preferences)
    if (phrase === undefined) continue
    const message = `the text gives an order to the agent, which may be an injection: ${quote(phrase)}`
    yield { pointer, message, ...(order === undefined && { severity: 'note' as const }) }
  }
}
