import { describeBehaviour } from '@curfew/core/internal'
import type { Behaviour } from '../behaviour/behaviour.ts'
import { type Contradiction, contradictionsOf } from '../behaviour/contradictions.ts'
import { learnBehaviour } from '../behaviour/learn-behaviour.ts'
import { headVerb } from '../behaviour/verb-and-object.ts'
import { leadOf } from '../language/lead.ts'
import { nameWords, splitWords } from '../language/name-words.ts'
import { contentWords, readable, type Sentence } from '../language/words.ts'
import { writtenOf } from '../language/written.ts'
import type { ReviewedTool } from '../review-types.ts'
import { type ReviewedParameter, topParameters } from '../schema/top-parameters.ts'
import { alternativesIn } from './alternatives.ts'
import { type SiblingIndex, siblingsOf } from './siblings.ts'

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
  /** Those that count: its author may have said why one is none. */
  readonly contradictions: readonly Contradiction[]
  readonly siblings: SiblingIndex
}

export function readTool(tool: ReviewedTool, siblings: readonly ReviewedTool[]): Reading {
  const index = siblingsOf(siblings)
  const own = tool.own !== undefined
  const { text: written, sentences } = writtenOf(tool)
  const titles = [tool.name, tool.title, titleOf(tool)].map((title) => nameWords(readable(title)))
  const behaviour = learnBehaviour(tool)
  const parameters = topParameters(tool)
  const derived = own ? describeBehaviour(tool.own) : ''
  return {
    tool,
    written,
    sentences,
    length:
      String(tool.description ?? '').length + (own ? String(tool.usage ?? '').length : 0) + derived.length,
    verb: sentences.length > 0 ? leadingVerb(sentences[0]!) : undefined,
    onlyRepeatsName: repeats(titles, sentences),
    parameters,
    alternatives: alternativesIn(sentences, tool.name, parameters, index),
    behaviour,
    contradictions: isSuppressed(tool) ? [] : contradictionsOf(tool),
    siblings: index,
  }
}

/** Says nothing that the titles do not say; `get_user`, `getUser` and `Get user` are the same. */
function repeats(titles: readonly (readonly string[])[], sentences: readonly Sentence[]): boolean {
  const joined = titles.map((words) => words.join(''))
  const known = new Set(contentWords([...titles.flat(), ...joined]))
  const isKnown = (word: string): boolean => known.has(word) || fillers.has(word)
  return sentences.every(({ content, text }) => {
    if (content.every(isKnown)) return true
    if (content.length > mostNames) return false
    const words = splitWords(text)
    return contentWords(words).every(isKnown) || joined.includes(words.join(''))
  })
}

/** A sentence of more words is not only a name. */
const mostNames = 4

/** Words that say nothing of their own beside the name. */
const fillers: ReadonlySet<string> = new Set(
  'do perform provide execute run return give handle operation action data method api function command'.split(
    ' ',
  ),
)

function titleOf(tool: ReviewedTool): unknown {
  return Object(tool.annotations).title
}

/** A verb that is known, or a first word that is no thing: `Frobnicate issues`. */
function leadingVerb(sentence: Sentence): string | undefined {
  const known = headVerb(sentence)
  if (known !== undefined) return known
  const { kind, verb, after } = leadOf(sentence.text.replace(/^(?:this tool|the tool|it)\s/i, ''))
  if (kind === 'imperative' || kind === 'third-person') return verb
  return kind === 'unknown' && /^[\p{L}-]+$/u.test(verb ?? '') && /\p{L}/u.test(after) ? verb : undefined
}

function isSuppressed({ suppressions }: ReviewedTool): boolean {
  return suppressions.some(({ rule }) => rule === 'annotation-contradiction')
}
