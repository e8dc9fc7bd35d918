import { withoutHidden } from '../../language/hidden-characters.ts'
import { readProse } from '../../language/sentences.ts'
import type { ReviewedTool } from '../../review-types.ts'
import { withoutMarkdown } from './markdown.ts'
import { type Blamed, blameSentence } from './phrases.ts'

/** A tool's description, taken apart once for all rules. */
export interface ToolProse {
  readonly sentences: readonly string[]
  readonly listItems: readonly string[]
  /** Of the sentences, and then of the items: what each is to blame for. */
  readonly blames: readonly (Blamed | undefined)[]
}

const longestRead = 20_000
const mostBlamed = 100
const proses = new WeakMap<ReviewedTool, ToolProse>()

/** The description without its markup. */
export function proseOf(tool: ReviewedTool): ToolProse {
  const known = proses.get(tool)
  if (known !== undefined) return known
  const { sentences, listItems } = readProse(
    withoutMarkdown(withoutHidden((tool.description ?? '').slice(0, longestRead))),
  )
  const lines = [...sentences, ...listItems].slice(0, mostBlamed)
  const prose = { sentences, listItems, blames: lines.map((line, index) => blameSentence(line, index === 0)) }
  proses.set(tool, prose)
  return prose
}
