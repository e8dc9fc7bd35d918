import { expect, test } from 'vitest'
import { until } from './helpers/processes.ts'
import { type Opened, stdioUpstream } from './support/stdio-upstream.ts'

const { signal } = new AbortController()
const patienceMs = 20_000

async function restart({ upstream }: Opened): Promise<void> {
  await (await upstream.connect(signal)).transport.close()
  await until(() => !upstream.connected, patienceMs)
  await upstream.connect(signal)
}

test('what a server does not offer any more is not listed any more', async () => {
  const opened = await stdioUpstream({ mode: 'offers-less-at-the-second-start' })
  const { upstream } = opened
  const before = await upstream.refresh(signal)
  expect(before.tools).toHaveLength(3)
  expect(before.prompts).toHaveLength(1)
  await restart(opened)
  const after = await upstream.refresh(signal)
  expect(after).toMatchObject({ tools: [], prompts: [] })
  expect(after.resources).toHaveLength(1)
  // It may come back, and is still the one that was seen.
  expect(upstream.state.pinned('echo')).toBeDefined()
})
