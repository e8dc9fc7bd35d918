import { CurfewError } from '@curfew/core'
import { expect, test } from 'vitest'
import { errorTypeOf } from './error-type-of.ts'

const named = (name: unknown): Error => Object.assign(new Error('secret'), { name })

test.each([
  [new TypeError('secret'), 'TypeError'],
  [new DOMException('secret', 'AbortError'), 'AbortError'],
  [new CurfewError('CANCELLED', 'secret'), 'CANCELLED'],
  [Object.assign(named('AI_APICallError'), { statusCode: 429 }), '429'],
  [named('AI_APICallError'), 'AI_APICallError'],
  [named('sk-secret'), '_OTHER'],
  [named(`${'A'.repeat(200)}Error`), '_OTHER'],
  [Object.assign(new Error('x'), { statusCode: 'sk-secret' }), 'Error'],
  [Object.assign(new CurfewError('CANCELLED', 'x'), { code: 'sk-secret' }), 'CurfewError'],
  ['sk-secret', '_OTHER'],
  [undefined, '_OTHER'],
  [null, '_OTHER'],
])('%o', (error, type) => {
  expect(errorTypeOf(error)).toBe(type)
})

test('an error whose fields cannot be read', () => {
  const hostile = {
    get name(): string {
      throw new Error('x')
    },
  }
  expect(errorTypeOf(hostile)).toBe('_OTHER')
})
