import { nameWords } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { ReviewedTool } from '../review-types.ts'
import { ownValue, typesOf } from '../schema/schema.ts'
import { parametersOf, type Subschema } from '../schema/walk-schema.ts'
import type { Problem } from './support/define-rule.ts'
import { formatKeyword } from './support/format-json.ts'

/** Always an array of arguments. */
const argvNames = /^(?:argv|args|(?:command|cmd|cli|exec) args|command (?:arguments|argv))$/
/** An array of arguments if the tool runs a program, but not if they are the arguments of a function. */
const commandNames = new Set(['command', 'cmd', 'arguments', 'command line'])
const runs = /\b(?:run(?:s|ning)?|execut\w{1,5}|spawn\w{0,3}|launch\w{0,3}|terminal|process)\b/i
/** Code for a shell or an interpreter is a string. */
const shell = /\b(?:shell|bash|zsh|powershell|sh|cmd\.exe|script|one-liner|sql|javascript|python)\b/i

const noArgv = new RegExp(`${shell.source}|\\bjson\\b`, 'i')

/** A single string has to be split again, which breaks arguments with spaces or quotes. */
export function* argvString(tool: ReviewedTool): Generator<Problem> {
  for (const subschema of parametersOf(tool)) {
    if (!isStringArgv(tool, subschema)) continue
    const { pointer, name, schema } = subschema
    const { type: _, default: __, minLength: ___, maxLength: ____, pattern: _____, ...rest } = schema
    const message = `parameter ${quote(name)} is a command with its arguments, but its type is string`
    // What is only called "command" may be for a shell.
    const isCertain = tool.curfew !== undefined || argvNames.test(nameWords(name).join(' '))
    yield isCertain
      ? {
          pointer,
          message,
          rewrite: formatKeyword(name, { type: 'array', items: { type: 'string' }, minItems: 1, ...rest }),
        }
      : { pointer, message, severity: 'warning' }
  }
}

export function isStringArgv(tool: ReviewedTool, subschema: Subschema): boolean {
  const types = typesOf(subschema.schema)
  if (
    !types.includes('string') ||
    types.includes('array') ||
    ownValue(subschema.schema, 'enum') !== undefined
  )
    return false
  return isArgv(tool, subschema)
}

function isArgv(tool: ReviewedTool, { name, schema, owner }: Subschema): boolean {
  const words = nameWords(name).join(' ')
  const description = ownValue(schema, 'description')
  const text =
    `${tool.name.replaceAll(/[_-]/g, ' ')} ${tool.description ?? ''} ${typeof description === 'string' ? description : ''}`.slice(
      0,
      2_000,
    )
  if (argvNames.test(words))
    return !noArgv.test(typeof description === 'string' ? description.slice(0, 500) : '')
  if (!commandNames.has(words) || !runs.test(text) || shell.test(text)) return false
  // The program alone, if its arguments have their own parameter.
  return !Object.keys(Object(owner?.properties)).some(
    (other) => other !== name && /^arg(?:s|v|uments)$/i.test(other),
  )
}
