import { describeBehaviour } from '../../tool/tool-views.ts'
import { type Behaviour, headVerb, learnBehaviour } from '../behaviour.ts'
import { type Contradiction, contradictionsOf } from '../contradictions.ts'
import type { ReviewedTool } from '../review-types.ts'
import { alternativesIn } from './alternatives.ts'
import { parametersOf, type ReviewedParameter } from './parameters-of.ts'
import { type SiblingIndex, siblingsOf } from './siblings.ts'
import { contentWords, nameWords, type Sentence } from './words.ts'
import { writtenOf } from './written.ts'

/** A definition in its full view, read once for all the dimensions. */
export interface Reading {
  readonly tool: ReviewedTool
  /** What its author wrote: description and usage. */
  readonly written: string
  readonly sentences: readonly Sentence[]
  /** Of the whole full view, with what was not read. */
  readonly length: number
  /** What the first sentence does, if it begins with a verb. */
  readonly verb: string | undefined
  /** It says nothing that the name or the title does not say. */
  readonly onlyRepeatsName: boolean
  readonly parameters: readonly ReviewedParameter[]
  /** Other tools that it names. */
  readonly alternatives: readonly string[]
  readonly behaviour: Behaviour
  readonly contradictions: readonly Contradiction[]
  readonly siblings: SiblingIndex
}

export function readTool(tool: ReviewedTool, siblings: readonly ReviewedTool[]): Reading {
  const index = siblingsOf(siblings)
  const own = tool.own !== undefined
  const { text: written, sentences } = writtenOf(tool)
  const known = new Set(
    contentWords([...nameWords(tool.name), ...nameWords(tool.title), ...nameWords(titleOf(tool))]),
  )
  const said = sentences.flatMap(({ content }) => content)
  const behaviour = learnBehaviour(tool)
  const parameters = parametersOf(tool)
  const derived = own ? describeBehaviour(tool.own) : ''
  return {
    tool,
    written,
    sentences,
    length:
      String(tool.description ?? '').length + (own ? String(tool.usage ?? '').length : 0) + derived.length,
    verb: sentences.length > 0 ? leadingVerb(sentences[0]!) : undefined,
    onlyRepeatsName: said.every((word) => known.has(word) || fillers.has(word)),
    parameters,
    alternatives: alternativesIn(sentences, tool.name, parameters, index),
    behaviour,
    contradictions: contradictionsOf(tool, behaviour),
    siblings: index,
  }
}

/** Words that say nothing of their own beside the name. */
const fillers: ReadonlySet<string> = new Set(
  'do perform provide execute run return give handle operation action data method api function command'.split(
    ' ',
  ),
)

function titleOf(tool: ReviewedTool): unknown {
  return Object(tool.annotations).title
}

const notVerbs: ReadonlySet<string> = new Set(
  `the a an this that these it its your my our for with from in on by if when while after before once there here note
  warning important please all any each every some new simple powerful useful tool`.split(/\s+/),
)
const afterVerb: ReadonlySet<string> = new Set(
  'the a an all any each every one two its your this that these those multiple several'.split(' '),
)

/** A verb that is known, or a first word that is used like one: `Triage the issues`. */
function leadingVerb(sentence: Sentence): string | undefined {
  const known = headVerb(sentence)
  if (known !== undefined) return known
  const at = /^(?:this tool|the tool|it)\b/i.test(sentence.text)
    ? sentence.words.findIndex((word) => word === 'tool' || word === 'it') + 1
    : 0
  const [first, second] = sentence.words.slice(at, at + 2)
  if (first === undefined || second === undefined || notVerbs.has(first)) return undefined
  return afterVerb.has(second) || moreVerbs.has(first) || moreVerbs.has(first.replace(/s$/, ''))
    ? first
    : undefined
}

/** Verbs which tell nothing of what a tool does to the world, so that `behaviour` need not know them. */
const moreVerbs: ReadonlySet<string> = new Set(
  `build call combine compress connect expand decompress encrypt decrypt flatten invert join limit log normalize
  normalise notify order pause plan play poll process quote record refresh repeat resize resume roll rotate round
  sample select sign skip solve split stream switch sync synchronize tag tokenize track transform undo unpack
  unzip zip wrap zoom click type press scroll hover drag handle manage perform provide do support work`.split(
    /\s+/,
  ),
)
