import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkspace, delegationTools, externalAgents } from '@curfew/agent/tools'
import { type CallResult, createRuntime } from '@curfew/core'
import type { Reply } from '../packages/torture/src/model-server/start-model-server.ts'
import { left, newTag } from '../test/support/processes.ts'
import { prepareRealAgent, type RealAgent, realAgents, whyNotInstalled } from '../test/support/real-agents.ts'
import type { Findings } from './report.ts'

const hangLimitMs = 15_000

/** Real agent programs as tools, against a model on the loopback interface: an answer, and a model that hangs. */
export async function measureAgents(): Promise<Findings> {
  const targets: Findings['targets'][number][] = []
  const information: Findings['information'][number][] = []
  const notes: string[] = []
  for (const name of realAgents) {
    const problem = whyNotInstalled(name)
    if (problem !== null) {
      notes.push(problem)
      continue
    }
    const answered = await run(name, () => [{ text: 'The answer is 42.' }], 120_000)
    const isAnswered = answered.result.status === 'success' && answered.result.content.includes('42')
    const hung = await run(name, () => [{ stall: true }], hangLimitMs)
    const seconds = (result: CallResult): number => result.durationMs / 1_000
    targets.push(
      { name: `${name}: answers`, figure: isAnswered ? 1 : 0, unit: 'of 1', atLeast: 1 },
      {
        name: `${name}: survivors`,
        figure: answered.survivors + hung.survivors,
        unit: 'processes',
        atMost: 0,
      },
      {
        name: `${name}: end with a model that hangs, limit ${hangLimitMs / 1_000} s`,
        figure: seconds(hung.result),
        unit: 's',
        atMost: hangLimitMs / 1_000 + 0.5,
      },
    )
    information.push({ name: `${name}: time to answer`, figure: seconds(answered.result), unit: 's' })
  }
  return { targets, information, notes }
}

async function run(
  name: RealAgent,
  reply: () => Reply,
  timeoutMs: number,
): Promise<{ readonly result: CallResult; readonly survivors: number }> {
  const tag = newTag()
  const { command, server, home } = await prepareRealAgent(name, tag, reply)
  const root = mkdtempSync(join(tmpdir(), 'curfew-workspace-'))
  const runtime = createRuntime({
    approval: 'allow',
    log: () => {},
    timeouts: { 'external-agent': timeoutMs },
  })
  const unused = (): never => {
    throw new Error('no subagent is started')
  }
  runtime.register(
    delegationTools({
      runtime,
      workspace: createWorkspace({ root }),
      agents: [],
      externalAgents: externalAgents({ [name]: { command } }),
      model: unused,
      openModel: unused,
    }),
  )
  try {
    const params = { agent: name, task: 'What is the answer?' }
    const [result] = await runtime.execute([{ id: name, name: 'invoke_external_agent', params }])
    return { result: result!, survivors: left(tag).length }
  } finally {
    await runtime.close()
    await server.close()
    for (const folder of [home, root]) rmSync(folder, { recursive: true, force: true })
  }
}
