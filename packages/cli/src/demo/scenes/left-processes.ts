import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { timeoutTool } from '@curfew/core'
import type { ProcessReport } from '@curfew/core/internal'
import { loadExtensions } from '@curfew/extensions'
import type { Scene } from '../scene.ts'

/** Several years, and unique to this process, so that the daemon can be found by its arguments. */
const sleepSeconds = `31536${process.pid}1`

const program = `#!/bin/sh
setsid sleep ${sleepSeconds} > /dev/null 2>&1 &
sleep 0.4
echo "server started as pid $!"
`

export const leftDaemon: Scene = {
  title: 'A script exits 0 but leaves a daemon behind. The daemon is killed.',
  async run(runner) {
    const home = await mkdtemp(join(tmpdir(), 'curfew-demo-'))
    try {
      const folder = join(home, '.config', 'curfew', 'extensions', 'scripts', 'start_server')
      await mkdir(folder, { recursive: true })
      await writeFile(join(folder, 'tool.json'), '{"description": "Start a server.", "timeout": 5}')
      await writeFile(join(folder, 'script.sh'), program)
      await chmod(join(folder, 'script.sh'), 0o755)
      const { tools } = await loadExtensions({ cwd: home, env: { HOME: home } })
      runner.use(...tools.map(({ tool }) => tool))
      await runner.call({
        name: 'script_start_server',
        label: 'start_server',
        expect: { status: 'success', endsAtMs: 400, contentIncludes: 'server started' },
      })
      runner.claimNoSurvivors(sleepSeconds)
    } finally {
      await rm(home, { recursive: true, force: true })
    }
  },
}

const stubbornSeconds = `31536${process.pid}2`
const stubborn = `trap "" TERM; echo "still here"; setsid sleep ${stubbornSeconds} & while :; do sleep ${stubbornSeconds}; done`

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
    runner.claimNoSurvivors(stubbornSeconds)
  },
}
