import { timeoutTool } from '@curfew/core'
import type { ProcessReport } from '@curfew/core/internal'
import type { Scene } from '../scene.ts'

const years = `31536${process.pid}2`
const stubborn = `trap "" TERM; echo "you cannot stop me"; setsid sleep ${years} & while :; do sleep ${years}; done`

export const ignoredSigterm: Scene = {
  title: 'A command ignores SIGTERM, as does its child. Elsewhere both run on.',
  async run(stage) {
    stage.use(timeoutTool)
    await stage.call({
      name: 'timeout',
      params: { command_args: ['sh', '-c', stubborn], seconds: 1 },
      words: (result) => {
        if (result.status !== 'success') return result.message
        const { outcome, signal } = result.value as ProcessReport
        return `${outcome}, ended by ${signal}; kept "${result.output.trim()}"`
      },
      expect: { status: 'success', endsAtMs: 1_000, keeps: 'you cannot stop me' },
    })
    stage.claimNoSurvivors(years)
  },
}
