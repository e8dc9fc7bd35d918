import { nameWords } from '../language/name-words.ts'
import { wordsOf } from '../language/tokenise-sentences.ts'
import { verbClasses } from '../language/verbs.ts'
import type { ReviewedTool } from '../review-types.ts'
import type { Schema } from '../schema/schema.ts'
import { topLevelParameters } from '../schema/top-level-parameters.ts'
import type { Effects } from './behaviour.ts'
import { effectVerbs, isWritingVerb } from './verb-phrase.ts'
import { plainVerbs, programs, runVerbs } from './vocabulary.ts'

const { looking, deleting, removing } = verbClasses

/** Adds what the parameters allow. `verb` is that of the description; `reads`: whether it only reads. */
export function inferFromParameters(
  tool: ReviewedTool,
  { reads, verb }: { readonly reads: boolean; readonly verb: string },
  text: string,
  effects: Effects,
): void {
  const runs = [verb, ...nameWords(tool.name)].some((word) => runVerbs.test(word))
  for (const parameter of topLevelParameters(tool)) {
    const evidence = `parameter: ${parameter.name.slice(0, 80)}`
    const key = nameWords(parameter.name).join('_')
    const description = parameter.description.slice(0, 500)
    const values = choicesOf(parameter.schema, operationName.test(key) ? description : '')
    if (values === undefined && isSavePath(key, description))
      effects[parameter.required ? 'writes' : 'saves'].push(`${evidence} is where it saves to`)
    if (values !== undefined) inferFromChoices(key, values, reads, evidence, effects)
    else if (reads) continue
    else if (takesCommand(tool.name, key, description)) effects.runs.push(evidence)
    else if (runs && isStatement(key, description) && !readOnlyText.test(text + description))
      effects.writes.push(`${evidence} can be any statement`)
  }
}

function takesCommand(tool: string, key: string, description: string): boolean {
  if (programs.test(tool) && /^(?:args|arguments|(?:sub)?command|cmd)$/.test(key)) return true
  if (/^(?:argv|(?:shell|bash)_command|command_(?:args|line))$/.test(key)) return true
  const isCode = /^(?:command|cmd|script|code)$/.test(key) && /\b(?:run|execute|shell)\b/i.test(description)
  return isCode && !/\b(?:sql|redis|query)\b/i.test(description)
}

/** `outputPath`, `save_to`. */
const savePathName =
  /^(?:save|output|out|dest|destination|export|download|write)_(?:.*_)?(?:path|file|filename|dir|directory|folder|to|as)$|^outfile$/
const pathName = /(?:^|_)(?:path|file|filename|dir|directory|folder|output|destination)$/
/** `Where to save the image`, `Save the result to a file`, `Directory in which the logs will be written`. */
const saves =
  /\b(?:to|be|for) (?:sav|writ|stor|export|download)|\bis written\b|^(?:optional(?:ly)?:? )?(?:save|write|store|export|download|dump)s?\b|\boutput (?:file|path|director)/i
const loads = /\bto (?:read|load|open)\b|\b(?:read|load) from\b|\bcontain/i

function isSavePath(key: string, text: string): boolean {
  return !loads.test(text) && (savePathName.test(key) || (pathName.test(key) && saves.test(text)))
}

const readOnlyText = /\bread[- ]?only\b|\bselect\b|\b(?:only|not) (?:read|modif|chang|writ)/i

/** Whether the parameter is a statement in a language that can also change data. */
function isStatement(key: string, description: string): boolean {
  return /(?:^|_)sql(?:_|$)/.test(key) || (/^(?:query|statement)$/.test(key) && /\bsql\b/i.test(description))
}

const operationName = /^(?:action|operation|op|(?:sub_?)?command|method|mutation|verb|task)(?:_type|_name)?$/

/** The values of an enumeration, also if each is a constant, or if the text lists them: `One of: list, create, delete`. */
function choicesOf(schema: Schema, text: string): readonly string[] | undefined {
  const { enum: values, const: constant, anyOf, oneOf } = schema
  const alternatives = anyOf ?? oneOf
  const constants = Array.isArray(alternatives) ? alternatives.map((each) => Object(each).const) : [constant]
  const choices = (Array.isArray(values) ? values : constants)
    .slice(0, 50)
    .filter((choice) => typeof choice === 'string')
  if (choices.length > 0) return choices
  const verbs = wordsOf(text).filter((word) => effectVerbs.has(word))
  return verbs.length > 1 && verbs.some((verb) => plainVerbs.test(verb)) ? verbs : undefined
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
  const writing = values.filter((_, index) => isWritingVerb(verbs[index]!) || verbs[index] === 'new')
  // A reading tool may filter by such words, unless it can do both.
  const isSwitch = key === 'method' || verbs.some((verb) => looking.has(verb))
  if (writing.length === 0 || ((reads || key === 'mode') && !isSwitch)) return
  const isDeleted = verbs.some((verb) => deleting.has(verb) || removing.has(verb))
  effects[isDeleted ? 'deletes' : 'writes'].push(`${evidence} can be ${writing.join(', ').slice(0, 80)}`)
}
