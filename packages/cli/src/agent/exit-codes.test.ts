import { expect, test } from 'vitest'
import { curfewCommand } from '../commands/curfew-command.ts'
import { exitCodes } from './exit-codes.ts'

test('every reason has its own exit code, which --help describes', () => {
  const codes = Object.values(exitCodes)
  expect(new Set(codes).size).toBe(codes.length)
  expect(Object.keys(curfewCommand.exitCodes).map(Number)).toEqual(expect.arrayContaining(codes))
})
