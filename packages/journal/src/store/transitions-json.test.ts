import { callEdges } from '@curfew/core/internal'
import { expect, test } from 'vitest'
import { pushMark, transitionsJson } from './transitions-json.ts'

test('marks become JSON', () => {
  const marks: number[] = []
  pushMark(marks, 'validating', 0)
  pushMark(marks, 'executing', 0.4213)
  pushMark(marks, 'cancelled', 1_234.56)
  expect(transitionsJson(marks)).toBe('[["validating",0],["executing",0.4],["cancelled",1234.6]]')
})

test('every state has a mark', () => {
  for (const status of Object.keys(callEdges) as (keyof typeof callEdges)[]) {
    const marks: number[] = []
    pushMark(marks, status, 1)
    expect(transitionsJson(marks)).toBe(`[["${status}",1]]`)
  }
})
