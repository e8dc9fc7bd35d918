import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { left, linux, newTag } from '../../../test/support/processes.ts'
import { answer, call, PromptSetup } from './prompt-support.ts'
import { ending } from './run-curfew.ts'

const bin = fileURLToPath(new URL('../bin/curfew.cjs', import.meta.url))
const setup = new PromptSetup()

test.runIf(linux)(
  'curfew → an agent → curfew: each answers before the deadline of the one around it, and nothing is left',
  async () => {
    const tag = newTag()
    const { server, model } = await setup.serve(({ body }) => {
      const messages = JSON.stringify(body.messages)
      if (/"role":"tool"/.test(messages)) return answer('Back.')
      return messages.includes('Hang.')
        ? [{ text: 'I have begun' }, { stall: true }]
        : call('invoke_external_agent', { agent: 'again', task: 'Hang.' })
    })
    const command = [process.execPath, bin, '-p', '-', '--yes', '--no-session', '--model', model]
    setup.writeUser('config.json', {
      externalAgents: { again: { command } },
      timeouts: { 'external-agent': '12s' },
    })
    const args = ['-p', 'Go.', '--yes', '--model', model]
    const { stdout } = await ending(setup.start(args, 'ignore', { TAG: tag }))
    expect(stdout).toBe('Back.\n')
    const results = JSON.stringify(server.requests.at(-1)!.body.messages)
    expect(results).toContain('I have begun')
    expect(left(tag)).toEqual([])
  },
)
