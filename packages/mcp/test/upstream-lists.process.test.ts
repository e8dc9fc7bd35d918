import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { type Opened, stdioUpstream } from './helpers/stdio-upstream.ts'

const { signal } = new AbortController()
const waitMs = 20_000

async function restart({ upstream }: Opened): Promise<void> {
  await (await upstream.connect(signal)).transport.close()
  await until(() => !upstream.connected, waitMs)
  await upstream.connect(signal)
}

test('removed tools, prompts and resources are no longer listed', async () => {
  const opened = await stdioUpstream({ mode: 'offers-less-at-the-second-start' })
  const { upstream } = opened
  const before = await upstream.refresh(signal)
  expect(before.tools).toHaveLength(3)
  expect(before.prompts).toHaveLength(1)
  await restart(opened)
  const after = await upstream.refresh(signal)
  expect(after).toMatchObject({ tools: [], prompts: [] })
  expect(after.resources).toHaveLength(1)
  // The pin is kept in case the tool returns.
  expect(upstream.state.pinned('echo')).toBeDefined()
})

test('problems of a list are logged once, and only the first of thousands', async () => {
  const opened = await stdioUpstream({ mode: 'thousands-of-invalid-tools' })
  const { upstream, logged } = opened
  expect((await upstream.refresh(signal)).tools).toHaveLength(3)
  const ofTools = (): readonly string[] => logged.filter((line) => /left out|omitted/.test(line))
  // Once for the tools alone, and once for all lists.
  expect(ofTools()).toHaveLength(22)
  expect(ofTools()[0]).toContain('the tool "invalid_0" is left out')
  expect(ofTools()[10]).toMatch(/omitted: 1990$/)
  await upstream.refresh(signal)
  await upstream.refresh(signal)
  expect(ofTools()).toHaveLength(22)
})

test('pages beyond the limit are not fetched', async () => {
  const opened = await stdioUpstream({ mode: 'fat-pages' })
  const { upstream, recorded } = opened
  await upstream.connect(signal)
  expect(upstream.listing?.tools.length).toBeGreaterThan(10)
  // One page with an invalid tool, fetched by the SDK, and then two of the 21.
  expect(recorded('tools/list')).toHaveLength(3)
})
