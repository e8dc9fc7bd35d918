import { test } from 'vitest'
import { killWhileCalling } from './support/kill-while-calling.ts'

for (let round = 1; round <= 3; round++)
  test(`a process with 1,000 running calls is killed: nothing that ended 100 ms before is missing (${round})`, async () => {
    await killWhileCalling(round)
  })
