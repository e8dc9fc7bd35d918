import { test } from 'vitest'
import { killWhileCalling } from './support/kill-while-calling.ts'

const rounds = 50

test(`a process with 1,000 running calls is killed ${rounds} times: nothing that ended 100 ms before is missing`, async () => {
  for (let round = 1; round <= rounds; round++) await killWhileCalling(round)
})
