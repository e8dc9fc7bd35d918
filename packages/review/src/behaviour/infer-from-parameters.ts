import { nameWords } from '../language/name-words.ts'
import { wordsOf } from '../language/tokenise-sentences.ts'
import type { ReviewedTool } from '../review-types.ts'
import { type ReviewedParameter, topLevelParameters } from '../schema/top-level-parameters.ts'
import type { Effects } from './behaviour.ts'
import { effectVerbs, isWritingVerb, knownVerb } from './verb-phrase.ts'
import {
  addressVerbs,
  conditionallyDeletingVerbs,
  deletingVerbs,
  lookingVerbs,
  plainVerbs,
  programs,
  runVerbs,
} from './vocabulary.ts'

/** Adds what the parameters allow. `verb` is that of the description; `reads`: whether it only reads. */
export function inferFromParameters(
  tool: ReviewedTool,
  { reads, verb }: { readonly reads: boolean; readonly verb: string | undefined },
  text: string,
  effects: Effects,
): void {
  const isProgram = programs.has(tool.name)
  const runs = [verb ?? '', ...nameWords(tool.name)].some((word) => runVerbs.has(word))
  const opensAddress = nameWords(tool.name).some((word) => addressVerbs.has(word))
  for (const parameter of topLevelParameters(tool)) {
    const evidence = `parameter: ${parameter.name.slice(0, 80)}`
    const key = nameWords(parameter.name).join('_')
    const values = choicesOf(parameter) ?? listedChoices(key, parameter)
    if (opensAddress && key === 'url') effects.network.push(evidence)
    if (isSavePath(key, parameter)) effects.writes.push(`${evidence} is where it saves to`)
    if (values !== undefined) inferFromChoices(key, values, reads, evidence, effects)
    else if (reads) continue
    else if (commandParameters.has(key) || (isProgram && programParameters.has(key)))
      effects.runs.push(evidence)
    else if (
      codeParameters.has(key) &&
      runsText.test(parameter.description) &&
      !queries.test(parameter.description)
    )
      effects.runs.push(evidence)
    else if (isStatement(key, parameter, text) && runs)
      effects.writes.push(`${evidence} can be any statement`)
  }
}

const commandParameters: ReadonlySet<string> = new Set([
  'command_args',
  'argv',
  'shell_command',
  'bash_command',
  'command_line',
])
const programParameters: ReadonlySet<string> = new Set(['args', 'arguments', 'command', 'subcommand', 'cmd'])
const codeParameters: ReadonlySet<string> = new Set(['command', 'cmd', 'script', 'code'])
const runsText = /\b(?:run|execute|shell)\b/i
const queries = /\b(?:sql|redis|query)\b/i

/** `outputPath`, `save_to`. */
const savePathName =
  /^(?:save|output|out|dest|destination|export|download|write)_(?:.*_)?(?:path|file|filename|dir|directory|folder|to|as)$|^(?:outfile|save_to|save_as)$/
const pathName = /(?:^|_)(?:path|file|filename|dir|directory|folder|output|destination)$/
/** `Where to save the image`, `Save the result to a file`, `Directory in which the logs will be written`. */
const saves =
  /\b(?:to|will be|should be|for) (?:save|saving|write|writing|saved|written|store|export|download)\b|\bis written\b|^(?:optional(?:ly)?:? )?(?:save|write|store|export|download|dump)s?\b|\boutput (?:file|path|director)/i
const loads = /\b(?:to read|to load|to open|read from|load from|which contains|containing)\b/i

function isSavePath(key: string, { description, schema }: ReviewedParameter): boolean {
  const text = description.slice(0, 500)
  if (schema.enum !== undefined || loads.test(text)) return false
  return savePathName.test(key) || (pathName.test(key) && saves.test(text))
}

const readOnlyText = /\bread[- ]?only\b|\bselect\b|\b(?:only|not) (?:read|modif|chang|writ)/i

/** Whether the parameter is a statement in a language that can also change data. */
function isStatement(key: string, { description }: ReviewedParameter, text: string): boolean {
  const isSql =
    /(?:^|_)sql(?:_|$)/.test(key) ||
    ((key === 'query' || key === 'statement') && /\bsql\b/i.test(description))
  return isSql && !readOnlyText.test(text) && !readOnlyText.test(description)
}

const operationName =
  /^(?:action|operation|op|command|sub_?command|method|mutation|verb|task)(?:_type|_name)?$/

/** The values of an enumeration, also if each is a constant. */
function choicesOf({ schema }: ReviewedParameter): readonly string[] | undefined {
  const { enum: values, const: constant, anyOf, oneOf } = schema
  const alternatives = Array.isArray(anyOf) ? anyOf : oneOf
  const choices = Array.isArray(values)
    ? values
    : constant !== undefined
      ? [constant]
      : Array.isArray(alternatives)
        ? alternatives.map((each) => Object(each).const)
        : undefined
  return choices?.slice(0, 50).filter((choice) => typeof choice === 'string')
}

/** `One of: list, create, delete`. */
function listedChoices(key: string, { description }: ReviewedParameter): readonly string[] | undefined {
  if (!operationName.test(key)) return undefined
  const verbs = wordsOf(description.slice(0, 300)).filter((word) => effectVerbs.has(word))
  return verbs.length > 1 && verbs.some((verb) => plainVerbs.has(verb)) ? verbs : undefined
}

/** `operation: list, get, set`. */
function inferFromChoices(
  key: string,
  values: readonly string[],
  reads: boolean,
  evidence: string,
  effects: Effects,
): void {
  if (!operationName.test(key) && key !== 'mode') return
  const verbs = values.map((value) => nameWords(value)[0] ?? '')
  const isMethod = key === 'method' && values.some((value) => /^(?:POST|PUT|PATCH|DELETE)$/.test(value))
  const writing = values.filter((_, index) => isWritingVerb(verbs[index]!) || verbs[index] === 'new')
  // A reading tool may filter by such words, unless it can do both.
  const isSwitch = verbs.some((verb) => lookingVerbs.has(verb))
  if (writing.length === 0 || ((reads || key === 'mode') && !isSwitch && !isMethod)) return
  effects.writes.push(`${evidence} can be ${writing.join(', ').slice(0, 80)}`)
  const deletes = verbs.some((verb) => {
    const base = knownVerb(verb) ?? ''
    return deletingVerbs.has(base) || (conditionallyDeletingVerbs.has(base) && base !== 'clean')
  })
  if (deletes) effects.deletes.push(`${evidence} can be ${writing.join(', ').slice(0, 80)}`)
}
