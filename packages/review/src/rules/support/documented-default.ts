import { asArray, ownValue, type Schema, typesOf } from '../../schema/schema.ts'

const phrase =
  /\bdefault(?:s|ing)?(?: value)?(?:\s+(?:is|to))?\s*[:=]?\s*(?:"([^"\n]{1,80})"|'([^'\n]{1,80})'|`([^`\n]{1,80})`|([-\w.]{1,40}))(.{0,20})/is
/** With these, the value may not be what applies without the parameter. */
const conditional =
  /\b(?:omit\w*|either|unless|if (?:not|no|omitted|un\w+|empty|missing)|when (?:not|no|omitted|un\w+)|otherwise|depend\w*|varies|inherit\w*|auto\w*|usual\w*|typical\w*|normally|often|but|mode|ui|only|operations?)\b/i

/** The default that a text states for a parameter: 30 for `defaults to 30`. Only if it leaves no doubt. */
export function documentedDefault(text: string, schema: Schema): unknown {
  const read = text.slice(0, 2_000)
  if (read.match(/\bdefault/gi)?.length !== 1 || conditional.test(read)) return undefined
  const found = phrase.exec(read)
  if (found === null) return undefined
  const [, double, single, code, bare, after = ''] = found
  const quoted = double ?? single ?? code
  const value = quoted ?? bare!.replace(/\.$/, '')
  // `defaults to the current folder`, `10,000`, `30 seconds` and `5 or 10` are more than a value.
  if (quoted === undefined && !/^\s*(?:$|[.);,\]\n](?!\d))/.test(after)) return undefined
  // `defaults to 30, or 100 when all is set`
  const rest = read.slice(found.index + found[0].length - after.length)
  if (/^[^.]*\b(?:or|when|for|with|if)\b|\d+ (?:for|when|if|with)\b/i.test(rest)) return undefined
  return inDeclaredType(value, quoted !== undefined, schema)
}

function inDeclaredType(text: string, isQuoted: boolean, schema: Schema): unknown {
  const choices = asArray(ownValue(schema, 'enum')).slice(0, 1_000)
  if (choices.length > 0)
    return choices.find((choice) => typeof choice !== 'object' && String(choice) === text)
  const types = typesOf(schema)
  if (types.includes('boolean')) return /^(?:true|false)$/.test(text) ? text === 'true' : undefined
  if (types.includes('integer') && /^-?\d{1,15}$/.test(text)) return Number(text)
  if (types.includes('number') && /^-?\d{1,12}(?:\.\d{1,6})?$/.test(text)) return Number(text)
  // An unquoted word may also be a description: `default: none`. `API_TOKEN` is a variable.
  const isValue = isQuoted ? !/[\s<>{}$]/.test(text) : /^[\da-z]+(?:[._-][\da-z]+)+$/i.test(text)
  return types[0] === 'string' && isValue && !/^[A-Z\d]+_[A-Z_\d]+$/.test(text) ? text : undefined
}
