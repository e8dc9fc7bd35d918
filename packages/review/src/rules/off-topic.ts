import { isCompoundName } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Problem } from './support/define-rule.ts'
import { descriptionProse } from './support/description-prose.ts'
import { moveToUsage } from './support/move-to-usage.ts'
import { nameIndexOf } from './support/name-index.ts'
import type { OffTopicKind } from './support/off-topic-phrases.ts'

/** The set of available tools changes, which makes such a description outdated. */
export function* descriptionComparison(
  tool: ReviewedTool,
  siblings: readonly ReviewedTool[],
): Generator<Problem> {
  const { names } = nameIndexOf(siblings)
  const { sentences, listItems, offTopic } = descriptionProse(tool)
  for (const [index, line] of [...sentences, ...listItems].slice(0, offTopic.length).entries()) {
    const found = offTopic[index]!.find(({ kind }) => kind === 'comparison')
    const phrase = found?.phrase ?? findSibling(line, tool.name, names)
    if (phrase === undefined) continue
    const message = `the description mentions another tool: ${quote(phrase)}`
    yield {
      pointer: '/description',
      message,
      rewrite: index === 0 ? undefined : moveToUsage(tool, 'comparison'),
    }
    return
  }
}

/** A one-word name counts only in quotes, as it may be an ordinary word. */
function findSibling(line: string, toolName: string, names: ReadonlySet<string>): string | undefined {
  for (const [match, word = ''] of line.slice(0, 2_000).matchAll(/["'`]?([\w][\w./-]{0,127})["'`]?/g)) {
    const name = word.replace(/[./-]+$/, '')
    if (name === toolName || !names.has(name)) continue
    if (isCompoundName(name) || /^["'`].*["'`]$/.test(match)) return name
  }
  return undefined
}

/** Checks a description for one kind of off-topic phrase. */
export function phraseCheck(kind: OffTopicKind, problem: string): (tool: ReviewedTool) => Problem[] {
  return (tool) => {
    const found = descriptionProse(tool)
      .offTopic.flat()
      .find((phrase) => phrase.kind === kind)
    if (found === undefined) return []
    const message = `the description ${problem}: ${quote(found.phrase)}`
    return [{ pointer: '/description', message, rewrite: moveToUsage(tool, kind) }]
  }
}
