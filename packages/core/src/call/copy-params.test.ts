import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { copyParams, copyValidated } from './copy-params.ts'

test('copies plain data deeply', () => {
  const params = {
    text: 'a',
    list: [1, [true, null, undefined]],
    nested: { deep: { x: 1 } },
    none: undefined,
  }
  const copy = copyParams(params) as typeof params
  expect(copy).toEqual(params)
  params.nested.deep.x = 2
  params.list.push(3)
  expect(copy).toMatchObject({ nested: { deep: { x: 1 } }, list: [1, [true, null, undefined]] })
})

test('accepts objects from another realm, without a prototype or with a __proto__ key', () => {
  expect(copyParams(runInNewContext('({ a: [{ b: 1 }] })'))).toEqual({ a: [{ b: 1 }] })
  expect(copyParams(Object.assign(Object.create(null), { a: 1 }))).toEqual({ a: 1 })
  const copy = copyParams(JSON.parse('{"__proto__": {"admin": true}}')) as Record<string, unknown>
  expect(copy.admin).toBeUndefined()
  expect(Object.keys(copy)).toEqual(['__proto__'])
})

describe('values that JSON cannot represent are rejected with their path', () => {
  class Account {
    owner = 'ada'
  }
  const sparse: unknown[] = [1]
  sparse[4_000_000_000] = 2

  test.each<[unknown, string, string]>([
    [{ to: [{ account: new Account() }] }, 'params.to[0].account', 'an instance of Account'],
    [new Account(), 'params', 'an instance of Account'],
    [{ when: new Date() }, 'params.when', 'an instance of Date'],
    [{ bytes: Buffer.from('a') }, 'params.bytes', 'an instance of Buffer'],
    [{ map: new Map() }, 'params.map', 'an instance of Map'],
    [{ run: () => 1 }, 'params.run', 'a function'],
    [[Symbol('s')], 'params[0]', 'a symbol'],
    [{ n: 1n }, 'params.n', 'a bigint'],
    [{ list: sparse }, 'params.list[1]', 'a hole in the array'],
  ])('%#', (params, field, got) => {
    expect(() => copyParams(params)).toThrow(
      expect.objectContaining({
        code: 'INVALID_PARAMS',
        field,
        message: expect.stringMatching(
          new RegExp(`^${field.replace(/[[\]]/g, '\\$&')}: expected .+, got ${got}$`),
        ),
      }),
    )
  })

  test('rejects cycles and structures that expand to too many values', () => {
    const cyclic: Record<string, unknown> = {}
    cyclic.self = cyclic
    expect(() => copyParams(cyclic)).toThrow('params: expected at most 200 levels, got more')
    let folded: unknown = []
    for (let level = 0; level < 50; level++) folded = [folded, folded]
    expect(() => copyParams(folded)).toThrow('params: expected at most 2000000 values, got more')
  })
})

test('copyValidated keeps values that are not plain data', () => {
  const when = new Date()
  expect((copyValidated({ when }) as { when: Date }).when).toBe(when)
})
