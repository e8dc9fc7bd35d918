import { describe, expect, test } from 'vitest'
import { fillArguments, parseArguments } from './run-call.ts'

const schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    count: { type: 'integer' },
    share: { type: 'number' },
    loud: { type: 'boolean' },
    maybe: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
    either: { type: ['string', 'integer'] },
    tags: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'integer' } },
    where: { type: 'object' },
    level: { enum: [1, 2, 'auto'] },
    mode: { enum: ['fast', 'slow'] },
    ref: { $ref: '#/$defs/count' },
    round: { $ref: '#/$defs/round' },
    endless: { $ref: '#/$defs/endless' },
    any: {},
  },
  $defs: {
    count: { type: 'integer' },
    round: { $ref: '#/$defs/round' },
    endless: { type: 'array', items: { $ref: '#/$defs/endless' } },
  },
}
const fill = (...args: string[]): unknown => fillArguments(parseArguments(args), schema)

test.each<[string[], unknown]>([
  [[], {}],
  [['{"name": "a=b"}'], { name: 'a=b' }],
  [['name=you'], { name: 'you' }],
  [['name=7'], { name: '7' }],
  [['name='], { name: '' }],
  [['name=a=b {"x"}'], { name: 'a=b {"x"}' }],
  [['count=3'], { count: 3 }],
  [['count=-3'], { count: -3 }],
  [['share=.5'], { share: 0.5 }],
  [['loud=true'], { loud: true }],
  [['maybe=null'], { maybe: null }],
  [['maybe=4'], { maybe: 4 }],
  [['either=4'], { either: '4' }],
  [['tags=a'], { tags: ['a'] }],
  [['tags=a', 'tags=b'], { tags: ['a', 'b'] }],
  [['tags=["a","b"]'], { tags: ['a', 'b'] }],
  [['sizes=1', 'sizes=2'], { sizes: [1, 2] }],
  [['where={"x": 1}'], { where: { x: 1 } }],
  [['level=2'], { level: 2 }],
  [['level=auto'], { level: 'auto' }],
  [['mode=warp'], { mode: 'warp' }],
  [['ref=5'], { ref: 5 }],
  [['round=5'], { round: '5' }],
  [['any=5'], { any: '5' }],
  [['unknown=5'], { unknown: '5' }],
  [['any:=5'], { any: 5 }],
  [['name:="x"'], { name: 'x' }],
  [['{"name": "a", "count": 1}', 'count=2'], { name: 'a', count: 2 }],
  [['[]'], []],
])('%j becomes %j', (args, expected) => {
  expect(fill(...args)).toEqual(expected)
})

describe('invalid arguments', () => {
  test.each<[string[], string]>([
    [['count=three'], 'count: expected an integer, got "three"'],
    [['count=1.5'], 'count: expected an integer, got "1.5"'],
    [['loud=yes'], 'loud: expected a boolean, got "yes"'],
    [['maybe=x'], 'maybe: expected an integer or null, got "x"'],
    [['sizes=1', 'sizes=x'], 'sizes: expected an integer, got "x"'],
    [['level=3'], 'level: expected one of 1, 2, "auto", got "3"'],
    [['where=x'], 'where: expected an object, got "x"'],
    [['endless=x'], 'endless: expected an array, got "x"'],
    [['any:=x'], 'any: expected JSON after :=, got "x"'],
    [['name=a', 'name=b'], 'name: expected one value, got several'],
    [['name=a', 'name:="b"'], 'name: expected one value, got several'],
    [['{}', '{}'], 'expected one JSON object'],
    [['[]', 'name=a'], 'expected a JSON object together with NAME=VALUE'],
    [['name'], 'expected JSON or NAME=VALUE'],
    [[`${'['.repeat(5_000)}${']'.repeat(5_000)}`], 'nested more than'],
  ])('rejects %j', (args, expected) => {
    expect(() => fill(...args)).toThrow(expected)
  })
})

test('names such as __proto__ are ordinary keys', () => {
  const params = fill('__proto__=x', 'constructor=y') as object
  expect(Object.getPrototypeOf(params)).toBe(Object.prototype)
  expect(Object.keys(params)).toEqual(['__proto__', 'constructor'])
})
