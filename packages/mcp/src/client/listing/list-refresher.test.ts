import { createFakeClock } from '@curfew/core/testing'
import { expect, test } from 'vitest'
import { ListRefresher } from './list-refresher.ts'

test('the first change is fetched immediately, constant changes are throttled', async () => {
  const clock = createFakeClock()
  const fetched: string[] = []
  const refresher = new ListRefresher(clock, async (lists) => {
    fetched.push(`${clock.now()} ${[...lists].join(' ')}`)
  })
  refresher.add('tools')
  refresher.add('prompts')
  await clock.advance(0)
  for (let i = 0; i < 20; i++) {
    refresher.add('tools')
    await clock.advance(100)
  }
  await clock.advance(5_000)
  expect(fetched).toEqual([
    '0 tools prompts',
    ...[300, 600, 900, 1_200, 1_500, 1_800, 2_100].map((at) => `${at} tools`),
  ])
  expect(clock.pending).toBe(0)
})

test('changes during a fetch are fetched afterwards', async () => {
  const clock = createFakeClock()
  let end: (() => void) | undefined
  let fetches = 0
  const refresher = new ListRefresher(clock, async () => {
    fetches++
    await new Promise<void>((resolve) => {
      end = resolve
    })
  })
  refresher.add('tools')
  await clock.advance(0)
  refresher.add('tools')
  await clock.advance(10_000)
  expect(fetches).toBe(1)
  end?.()
  await clock.advance(1)
  expect(fetches).toBe(2)
  end?.()
  await clock.settle()
  refresher.stop()
})
