import { describeBehaviour } from '@curfew/core/internal'
import type { Behaviour } from '../behaviour/behaviour.ts'
import { type Contradiction, findContradictions, hintsOf } from '../behaviour/find-contradictions.ts'
import { inferBehaviour } from '../behaviour/infer-behaviour.ts'
import { headVerb } from '../behaviour/verb-phrase.ts'
import { nameWords, splitWords } from '../language/name-words.ts'
import { parseOpening } from '../language/parse-opening.ts'
import { isPlainAscii } from '../language/strip-hidden.ts'
import { contentWords, type Sentence, truncatedText } from '../language/tokenise-sentences.ts'
import type { ReviewedTool } from '../review-types.ts'
import { suppressionReason } from '../rules/read-suppressions.ts'
import { genericNouns } from '../rules/support/generic-words.ts'
import { nameIndexOf } from '../rules/support/name-index.ts'
import { toLatinLookalikes } from '../rules/support/writing-systems.ts'
import { type ReviewedParameter, topLevelParameters } from '../schema/top-level-parameters.ts'
import { descriptionTwins } from './description-twins.ts'
import { findAlternatives } from './find-alternatives.ts'
import { ownSentences } from './shared-sentences.ts'

/** A definition in its full view, analysed once for all dimensions. */
export interface ToolAnalysis {
  readonly tool: ReviewedTool
  /** Description and usage, without what only repeats in the siblings. */
  readonly text: string
  readonly sentences: readonly Sentence[]
  /** How many words the text adds to the name and title. */
  readonly substance: number
  /** Whether annotations or flags declare what it changes. */
  readonly hasHints: boolean
  /** Length of the full view, including what was too long to be analysed. */
  readonly length: number
  /** The verb that the first sentence begins with. */
  readonly verb: string | undefined
  /** Whether the text adds nothing to the name and title. */
  readonly onlyRepeatsName: boolean
  /** Whether it adds a single word, or is only a label such as `Public profile`. */
  readonly isThin: boolean
  readonly parameters: readonly ReviewedParameter[]
  /** Names of other tools that the text refers to. */
  readonly alternatives: readonly string[]
  readonly behaviour: Behaviour
  /** Without suppressed ones. */
  readonly contradictions: readonly Contradiction[]
  /** The sibling whose description reads the same. */
  readonly twin: ReviewedTool | undefined
}

export function analyseTool(tool: ReviewedTool, siblings: readonly ReviewedTool[]): ToolAnalysis {
  // A letter that only looks Latin must not make a word of the name count as another one.
  const sentences = ownSentences(tool, siblings).map(
    (sentence): Sentence =>
      isPlainAscii(sentence.text)
        ? sentence
        : { ...sentence, content: contentWords(sentence.words.map(toLatinLookalikes)) },
  )
  const text = sentences.map((sentence) => sentence.text).join('\n')
  const titles = [tool.name, tool.title, tool.annotations?.title].map((title) =>
    nameWords(toLatinLookalikes(truncatedText(title))),
  )
  const parameters = topLevelParameters(tool)
  const verb = sentences.length > 0 ? leadingVerb(sentences[0]!) : undefined
  const substance = countAddedWords(titles, sentences)
  const isSuppressed = suppressionReason(tool, 'annotation-contradiction') !== undefined
  return {
    tool,
    text,
    sentences,
    length: fullViewLength(tool),
    verb,
    substance,
    onlyRepeatsName: substance === 0 || repeatsTitles(titles, sentences),
    isThin: substance < (verb === undefined && parameters.length > 0 ? 3 : 2),
    hasHints: Object.values(hintsOf(tool)).some((value) => typeof value === 'boolean'),
    parameters,
    alternatives: findAlternatives(sentences, tool.name, parameters, nameIndexOf(siblings).names),
    behaviour: inferBehaviour(tool),
    contradictions: isSuppressed ? [] : findContradictions(tool),
    twin: descriptionTwins(siblings).get(tool),
  }
}

function fullViewLength({ description = '', usage = '', curfew }: ReviewedTool): number {
  return description.length + (curfew === undefined ? 0 : usage.length + describeBehaviour(curfew).length)
}

/** Whether the sentences say nothing beyond the titles; `get_user`, `getUser` and `Get user` are the same. */
function repeatsTitles(titles: readonly (readonly string[])[], sentences: readonly Sentence[]): boolean {
  const joined = titles.map((words) => words.join(''))
  const known = new Set(contentWords([...titles.flat(), ...joined]))
  const isKnown = (word: string): boolean => known.has(word) || fillers.has(word)
  return sentences.every(({ content, text }) => {
    if (content.every(isKnown)) return true
    if (content.length > maxTitleWords) return false
    const words = splitWords(text)
    return contentWords(words).every(isKnown) || joined.includes(words.join(''))
  })
}

function countAddedWords(titles: readonly (readonly string[])[], sentences: readonly Sentence[]): number {
  const joined = titles.map((words) => words.join(''))
  const known = new Set(contentWords([...titles.flat(), ...joined]))
  const added = new Set<string>()
  for (const { content } of sentences.slice(0, 100)) {
    const isNew = (word: string): boolean =>
      !added.has(word) &&
      !fillers.has(word) &&
      !emptyWords.has(word) &&
      !nameWords(word).every((part) => known.has(part))
    for (const word of content.filter(isNew).slice(0, maxAddedBySentence)) added.add(word)
  }
  return added.size
}

/** A sentence does not say more by going on and on. */
const maxAddedBySentence = 15

/** Words that do not narrow down what a tool does. */
const emptyWords: ReadonlySet<string> = new Set([
  ...genericNouns,
  ...'example new given specific specified provided existing detail v1 v2 v3 process pipeline workflow'.split(
    ' ',
  ),
])

/** A sentence with more words is not just a name. */
const maxTitleWords = 4

/** Words that add nothing to the name. */
const fillers: ReadonlySet<string> = new Set(
  'do perform provide execute run return give handle operation action data method api function command'.split(
    ' ',
  ),
)

/** A known verb, or a first word that is not a noun: `Frobnicate issues`. */
function leadingVerb(sentence: Sentence): string | undefined {
  const known = headVerb(sentence)
  if (known !== undefined) return known
  const text = sentence.text.replace(/^(?:this tool\s|the tool\s|it\s|\[[^\]]{1,40}\]\s*)/i, '')
  const { kind, verb, after } = parseOpening(text)
  if (kind === 'imperative' || kind === 'third-person') return verb
  return kind === 'unknown' && /^[\p{L}-]+$/u.test(verb ?? '') && /\p{L}/u.test(after) ? verb : undefined
}
