import { timeoutTool } from '@curfew/core'
import type { ProcessReport } from '@curfew/core/internal'
import type { Scene } from '../scene.ts'

const sleepSeconds = `31536${process.pid}2`
const stubborn = `trap "" TERM; echo "still here"; setsid sleep ${sleepSeconds} & while :; do sleep ${sleepSeconds}; done`

export const ignoredSigterm: Scene = {
  title: 'A command and its child ignore SIGTERM. Both are killed.',
  async run(runner) {
    runner.use(timeoutTool)
    await runner.call({
      name: 'timeout',
      params: { command_args: ['sh', '-c', stubborn], seconds: 1 },
      summary: (result) => {
        if (result.status !== 'success') return result.code
        const { outcome, signal } = result.value as ProcessReport
        return `${outcome}, ${signal}; kept "${result.output.trim()}"`
      },
      expect: { status: 'success', endsAtMs: 1_000, outputIncludes: 'still here' },
    })
    runner.claimNoSurvivors(sleepSeconds)
  },
}
