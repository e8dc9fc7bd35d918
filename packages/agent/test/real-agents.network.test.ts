import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkspace, externalAgents } from '@curfew/agent/tools'
import { afterEach, describe, expect, test } from 'vitest'
import type { Reply } from '../../../packages/torture/src/model-server/start-model-server.ts'
import { canTest } from '../../../test/support/can-test.ts'
import { left, newTag } from '../../../test/support/processes.ts'
import {
  type PreparedAgent,
  prepareRealAgent,
  type RealAgent,
  realAgents,
  whyNotInstalled,
} from '../../../test/support/real-agents.ts'
import { setUpDelegation, success } from './support/delegation-setup.ts'

const prepared: PreparedAgent[] = []
const folders: string[] = []

afterEach(async () => {
  for (const { server, home } of prepared.splice(0)) {
    await server.close()
    folders.push(home)
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

async function setUp(name: RealAgent, reply: () => Reply, timeoutMs: number) {
  const tag = newTag()
  const agent = await prepareRealAgent(name, tag, reply)
  prepared.push(agent)
  const root = mkdtempSync(join(tmpdir(), 'curfew-workspace-'))
  folders.push(root)
  const options = {
    externalAgents: externalAgents({ [name]: { command: agent.command } }),
    workspace: createWorkspace({ root }),
  }
  const parts = setUpDelegation([], options, { timeouts: { 'external-agent': timeoutMs } })
  const run = (task: string, access: string) =>
    parts.execute('invoke_external_agent', { agent: name, task, access })
  return { run, tag, agent }
}

describe.each(realAgents)('the real program %s', (name) => {
  const isInstalled = canTest(whyNotInstalled(name))

  test.runIf(isInstalled).each(['read', 'edit'])('answers (%s)', async (access) => {
    const { run, tag, agent } = await setUp(name, () => [{ text: 'The answer is 42.' }], 120_000)
    const result = success(await run('--help is not an option. What is the answer?', access))
    expect(result.value).toMatchObject({ answer: 'The answer is 42.', ended: 'answer' })
    expect(JSON.stringify(agent.server.requests.map(({ body }) => body))).toContain(
      '--help is not an option.',
    )
    expect(left(tag)).toEqual([])
  })

  test.runIf(isInstalled)('whose model hangs ends in time, and leaves nothing behind', async () => {
    const { run, tag, agent } = await setUp(name, () => [{ text: 'I have' }, { stall: true }], 15_000)
    const result = await run('Go.', 'read')
    expect(agent.server.requests.length).toBeGreaterThan(0)
    expect(result.status === 'success' || result.code === 'TOOL_TIMEOUT').toBe(true)
    expect(result.durationMs).toBeLessThan(16_000)
    expect(left(tag)).toEqual([])
  })
})
