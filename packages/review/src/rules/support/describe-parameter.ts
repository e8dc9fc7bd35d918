import { nameWords } from '../../language/name-words.ts'
import { singular } from '../../language/singular.ts'
import { verbOf } from '../../language/verbs.ts'
import { asArray, ownValue, type Schema, typesOf } from '../../schema/schema.ts'
import { expandWord } from './abbreviations.ts'

const units: Readonly<Record<string, string>> = {
  ms: 'milliseconds',
  millis: 'milliseconds',
  milliseconds: 'milliseconds',
  sec: 'seconds',
  secs: 'seconds',
  seconds: 'seconds',
  minutes: 'minutes',
  hours: 'hours',
  days: 'days',
  bytes: 'bytes',
  kb: 'kilobytes',
  mb: 'megabytes',
  px: 'pixels',
  percent: 'percent',
}
const longWords: Readonly<Record<string, string>> = {
  max: 'largest',
  min: 'smallest',
  num: 'number of',
  count: 'number',
  dir: 'directory',
  src: 'source',
  dest: 'destination',
  id: 'identifier',
  ids: 'identifiers',
}

/** Attributes that need the tool's object to make sense: `path of the file`. */
const attributes = new Set(
  'path identifier identifiers name names title content contents body text type url uri key status format size description source destination'.split(
    ' ',
  ),
)
const filters = new Set(['exclude', 'include', 'ignore', 'skip', 'keep', 'omit'])

/** Derives a description of a parameter from its name, type, enum values and the tool's object. */
export function describeParameter(name: string, schema: Schema, object = ''): string {
  const ownWords = nameWords(name).slice(0, 8)
  const unit = units[ownWords.at(-1) ?? '']
  const words = (unit !== undefined && ownWords.length > 1 ? ownWords.slice(0, -1) : ownWords).map((word) =>
    Object.hasOwn(longWords, word) ? longWords[word]! : expandWord(word),
  )
  const isAttribute =
    words.length === 1 && attributes.has(words[0]!) && object !== '' && !object.includes(words[0]!)
  const isFilter = words.length > 1 && filters.has(words[0]!) && !typesOf(schema).includes('boolean')
  const text = isFilter
    ? `${words.slice(1).join(' ')} to ${words[0]}`
    : isAttribute
      ? `${words[0]} of the ${object}`
      : words.join(' ') || 'value'
  if (typesOf(schema).includes('boolean')) {
    const bare = words[0] === 'is' || words[0] === 'has' ? words.slice(1).join(' ') : text
    return verbOf(words[0] ?? '')?.form === 'base' ? `Whether to ${text}.` : `Whether it is ${bare || text}.`
  }
  const choices = asArray(ownValue(schema, 'enum'))
    .slice(0, 8)
    .filter((choice) => typeof choice !== 'object')
  if (choices.length > 0) return `The ${text}: ${orList(choices.map(String))}.`
  const items = typesOf(schema).includes('array') ? ', one entry each' : ''
  const subject =
    items !== '' && words.length > 0 && !isFilter && !isAttribute
      ? [...words.slice(0, -1), plural(words.at(-1)!)].join(' ')
      : text
  if (unit !== undefined && ownWords.length > 1) return `The ${subject} in ${unit}${items}.`
  // A description that only repeats the name gets a placeholder.
  const saysMore = items !== '' || isFilter || isAttribute || words.join(' ') !== nameWords(name).join(' ')
  return `The ${subject}${saysMore ? '' : ' <of what, in which form>'}${items}.`
}

function plural(word: string): string {
  if (singular(word) !== word) return word
  return /(?:s|x|z|sh|ch)$/.test(word)
    ? `${word}es`
    : /[^aeiou]y$/.test(word)
      ? `${word.slice(0, -1)}ies`
      : `${word}s`
}

function orList(choices: readonly string[]): string {
  if (choices.length < 2) return choices.join('')
  return `${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`
}
