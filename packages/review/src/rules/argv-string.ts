import { nameWords } from '../language/name-words.ts'
import { quote } from '../language/printable.ts'
import type { ReviewedTool, Rule } from '../review-types.ts'
import { own, typesOf } from '../schema/schema.ts'
import { parametersOf, type SchemaPlace } from '../schema/schema-places.ts'
import { defineRule } from './support/define-rule.ts'
import { fragment } from './support/fragment.ts'

/** Always a list of arguments. */
const argvNames = new Set([
  'argv',
  'args',
  'command args',
  'cmd args',
  'cli args',
  'exec args',
  'command arguments',
  'command argv',
])
/** A list of arguments if the tool runs a program, and not if they are those of a function. */
const commandNames = new Set(['command', 'cmd', 'arguments', 'command line'])
const runs = /\b(?:run(?:s|ning)?|execut\w{1,5}|spawn\w{0,3}|launch\w{0,3}|terminal|process)\b/i
/** A text for a shell is a text. */
const shell = /\b(?:shell|bash|zsh|powershell|sh|cmd\.exe|script|one-liner|sql|javascript|python)\b/i

const noArgv = new RegExp(`${shell.source}|\\bjson\\b`, 'i')

/** Whoever types it as one text has it split again somewhere, and every space and quote in an argument goes wrong. */
export const argvString: Rule = defineRule(
  'argv-string',
  'error',
  'A command with its arguments is an array of texts, not one text.',
  function* (tool) {
    for (const place of parametersOf(tool)) {
      if (!isStringArgv(tool, place)) continue
      const { pointer, name, schema } = place
      const { type: _, default: __, minLength: ___, maxLength: ____, pattern: _____, ...rest } = schema
      const rewrite = fragment(name, { type: 'array', items: { type: 'string' }, minItems: 1, ...rest })
      yield {
        pointer,
        message: `parameter ${quote(name)} is a command with its arguments and is typed string`,
        rewrite,
      }
    }
  },
)

export function isStringArgv(tool: ReviewedTool, place: SchemaPlace): boolean {
  const types = typesOf(place.schema)
  if (!types.includes('string') || types.includes('array') || own(place.schema, 'enum') !== undefined)
    return false
  return isArgv(tool, place)
}

function isArgv(tool: ReviewedTool, { name, schema, owner }: SchemaPlace): boolean {
  const words = nameWords(name).join(' ')
  const about = own(schema, 'description')
  const text =
    `${tool.name.replaceAll(/[_-]/g, ' ')} ${tool.description ?? ''} ${typeof about === 'string' ? about : ''}`.slice(
      0,
      2_000,
    )
  if (argvNames.has(words)) return !noArgv.test(typeof about === 'string' ? about.slice(0, 500) : '')
  if (!commandNames.has(words) || !runs.test(text) || shell.test(text)) return false
  // The program alone: its arguments have a parameter of their own.
  return !Object.keys(Object(owner?.properties)).some(
    (other) => other !== name && /^arg(?:s|v|uments)$/i.test(other),
  )
}
