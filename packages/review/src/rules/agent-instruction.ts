import { quote } from '../language/printable.ts'
import type { Rule } from '../review-types.ts'
import { defineRule } from './support/define-rule.ts'
import { describedParameters } from './support/parameter-prose.ts'

/** Orders about the rest of the conversation rather than about this call. */
const patterns: readonly RegExp[] = [
  /\b(?:do not|don't|never|without) (?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|show(?:ing)?|disclos(?:e|ing)|notify(?:ing)?|alert(?:ing)?|ask(?:ing)?)\b[^.\n]{0,60}\b(?:user|person|human|customer)\b/i,
  /\b(?:do not|don't|never) (?:mention|reveal|disclose|tell)\b[^.\n]{0,30}\b(?:this|these|it|anyone|instructions?|tool|prompt)\b/i,
  /\b(?:ignore|disregard|override|forget)\b[^.\n]{0,30}\b(?:previous|prior|other|earlier|above|system|all)\b[^.\n]{0,20}\b(?:instructions?|rules|prompts?|messages?|guidelines)\b/i,
  /\balways (?:use|call|run|invoke|prefer|choose|start with) (?:this|it first)\b/i,
  /\b(?:must|should|has to|have to|need to|needs to|always)\b[^.\n]{0,30}\b(?:call(?:ed)?|use[d]?|invoke[d]?|run)\b[^.\n]{0,40}\b(?:first|before (?:any|all|every|each|using any|calling any|doing anything|anything))\b/i,
  /\b(?:call|use|invoke|run) (?:this|it)(?: tool)? (?:first|before (?:any|all|every|anything|doing))\b/i,
  /\b(?:before|instead of|over) (?:using |calling |running )?(?:any|all|every) other (?:tools?|search|function)/i,
  /\b(?:you|the (?:agent|assistant|model|ai|llm)|agents?|assistants?) (?:must|should|shall) (?:always |never |not )?(?:call|use|invoke|run|prefer) this\b/i,
  /<(?:important|system|instructions?|secret|hidden)>/i,
]

/** It may be meant well, but it is also how a server takes over an agent. */
export const agentInstruction: Rule = defineRule(
  'agent-instruction',
  'warning',
  'The text does not give orders to the agent.',
  function* (tool) {
    const texts = [
      ['/description', tool.description ?? ''] as const,
      ...describedParameters(tool).map(({ pointer, complete }) => {
        const { description } = complete
        return [`${pointer}/description`, typeof description === 'string' ? description : ''] as const
      }),
    ]
    for (const [pointer, text] of texts) {
      const phrase = patterns.map((pattern) => pattern.exec(text.slice(0, 20_000))?.[0]).find(Boolean)
      if (phrase === undefined) continue
      const message = `the text gives an order to the agent, which may be an injection: ${quote(phrase)}`
      yield { pointer, message }
    }
  },
)
