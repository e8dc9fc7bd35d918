import { join } from 'node:path'
import { CurfewError, createRuntime, defineTool } from '@curfew/core'
import { listOpenBreakers, openJournal } from '@curfew/journal'
import { expect, test } from 'vitest'
import { readBreakersResult } from '../src/control/open-breaker.ts'
import { folder } from './support/control-setup.ts'

test('breakers that are open in another process are listed, until they close', async () => {
  const stateFolder = join(folder, 'state')
  const project = '/home/ada/shop'
  const list = () => listOpenBreakers({ stateFolder, project, timeoutMs: 60_000 })
  expect(await list()).toEqual([])

  let fails = true
  const runtime = createRuntime({ approval: 'allow', breaker: { failures: 1, cooldown: 1 } })
  runtime.register(
    defineTool({
      name: 'deploy',
      description: 'Deploy the project.',
      execute() {
        if (fails) throw new CurfewError('TRANSPORT_FAILED', 'the server is down')
        return 'deployed'
      },
    }),
  )
  const journal = await openJournal({ stateFolder, project, program: 'test', warn: () => {} })
  journal.attach(runtime)
  try {
    await runtime.execute([{ id: 'a', name: 'deploy', params: {} }])
    await journal.flush()
    expect(await list()).toEqual([
      {
        name: 'deploy',
        failures: 1,
        retryAt: expect.any(Number),
        program: 'test',
        pid: process.pid,
        project,
      },
    ])
    fails = false
    await expect
      .poll(async () => (await runtime.execute([{ id: 'b', name: 'deploy', params: {} }]))[0]!.status)
      .toBe('success')
    expect(await list()).toEqual([])
  } finally {
    await journal.close()
    await runtime.close()
  }
})

test('whatever a process responds is checked', () => {
  const valid = { name: 'deploy', failures: 5, retryAt: 1 }
  const others = [null, [], 'x', {}, { ...valid, name: 1 }, { ...valid, name: 'x'.repeat(1_000) }]
  const numbers = [
    { ...valid, failures: '5' },
    { ...valid, retryAt: null },
  ]
  expect(readBreakersResult({ run: 'm4tq', breakers: [...others, valid, ...numbers] })).toEqual({
    run: 'm4tq',
    breakers: [valid],
  })
  expect(readBreakersResult({ run: 'm4tq', breakers: {} })).toBeNull()
  expect(readBreakersResult('x')).toBeNull()
})
