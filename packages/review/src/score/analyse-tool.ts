import { describeBehaviour } from '@curfew/core/internal'
import { type Contradiction, findContradictions, hintsOf } from '../behaviour/find-contradictions.ts'
import { inferBehaviour } from '../behaviour/infer-behaviour.ts'
import { nameWords } from '../language/name-words.ts'
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
  /** Length of the full view, including what was too long to be analysed. */
  readonly length: number
  /** The verb that the first sentence begins with. */
  readonly verb: string | undefined
  /** How many words the text adds to the name and title. */
  readonly substance: number
  /** 0 if it adds nothing; 0.5 if it adds a single word, or is only a label such as `Public profile`; otherwise 1. */
  readonly addition: 0 | 0.5 | 1
  readonly parameters: readonly ReviewedParameter[]
  /** Names of other tools that the text refers to. */
  readonly alternatives: readonly string[]
  /** The hints that annotations or flags declare. */
  readonly hints: readonly string[]
  /** Hints say that a tool changes something, but only the text can say what. */
  readonly changes: boolean
  /** Certain ones, unless they are suppressed. */
  readonly contradictions: readonly Contradiction[]
  /** The sibling whose description reads the same. */
  readonly twin: ReviewedTool | undefined
}

export function analyseTool(tool: ReviewedTool, siblings: readonly ReviewedTool[]): ToolAnalysis {
  // A letter that only looks Latin must not make a word of the name count as another one.
  const sentences = ownSentences(tool, siblings).map((sentence) =>
    isPlainAscii(sentence.text)
      ? sentence
      : { ...sentence, content: contentWords(sentence.words.map(toLatinLookalikes)) },
  )
  const { description = '', usage = '', curfew } = tool
  const parameters = topLevelParameters(tool)
  const verb = sentences.length > 0 ? leadingVerb(sentences[0]!) : undefined
  const substance = countAddedWords(tool, sentences)
  const isLabel = verb === undefined && parameters.length > 0 && substance < 3
  const { runs, writes, deletes } = inferBehaviour(tool)
  const { readOnlyHint, destructiveHint } = hintsOf(tool)
  const hints = Object.entries(hintsOf(tool)).filter(([, value]) => typeof value === 'boolean')
  const isSuppressed = suppressionReason(tool, 'annotation-contradiction') !== undefined
  return {
    tool,
    text: sentences.map(({ text }) => text).join('\n'),
    sentences,
    length: description.length + (curfew === undefined ? 0 : usage.length + describeBehaviour(curfew).length),
    verb,
    substance,
    addition: substance === 0 ? 0 : substance === 1 || isLabel ? 0.5 : 1,
    parameters,
    alternatives: findAlternatives(sentences, tool.name, parameters, nameIndexOf(siblings).names),
    hints: hints.map(([name]) => name),
    changes:
      readOnlyHint === false || destructiveHint === true || [...runs, ...writes, ...deletes].length > 0,
    contradictions: isSuppressed ? [] : findContradictions(tool).filter(({ isCertain }) => isCertain),
    twin: descriptionTwins(siblings).get(tool),
  }
}

/** `get_user`, `getUser` and `Get user` add nothing to each other. */
function countAddedWords(tool: ReviewedTool, sentences: readonly Sentence[]): number {
  const titles = [tool.name, tool.title, tool.annotations?.title].map((title) =>
    nameWords(toLatinLookalikes(truncatedText(title))),
  )
  const known = new Set(contentWords(titles.flatMap((words) => [...words, words.join('')])))
  const added = new Set<string>()
  for (const { content } of sentences.slice(0, 100)) {
    const isNew = (word: string): boolean =>
      !added.has(word) && !emptyWords.has(word) && !nameWords(word).every((part) => known.has(part))
    for (const word of content.filter(isNew).slice(0, maxAddedBySentence)) added.add(word)
  }
  return added.size
}

/** A sentence does not say more by going on and on. */
const maxAddedBySentence = 15

/** Words that do not narrow down what a tool does. */
const emptyWords: ReadonlySet<string> = new Set([
  ...genericNouns,
  ...'do perform provide execute run return give handle process method command'.split(' '),
])

/** A known verb, or a first word that is not a noun: `Frobnicate issues`. */
function leadingVerb(sentence: Sentence): string | undefined {
  const text = sentence.text.replace(/^(?:this tool\s|the tool\s|it\s|\[[^\]]{1,40}\]\s*)/i, '')
  const { kind, verb, after } = parseOpening(text)
  if (kind === 'imperative' || kind === 'third-person') return verb
  return kind === 'unknown' && /^[\p{L}-]+$/u.test(verb ?? '') && /\p{L}/u.test(after) ? verb : undefined
}
