import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createRuntime, type ToolCall } from '@curfew/core'
import { loadExtensions } from '@curfew/extensions'
import { serve } from '../side.ts'
import { type RequestTasks, timeRequests } from './time-requests.ts'

/** An API tool through the runtime with its default policies, except for the limits on the number of calls. */
const [origin, concurrency] = [process.argv[2]!, Number(process.argv[3])]
const home = process.cwd()
const folder = join(home, '.config', 'curfew', 'extensions', 'apis')
await mkdir(folder, { recursive: true })
const file = {
  description: 'Ask the server.',
  concurrent: true,
  endpoint: { url: `${origin}/things/{id}` },
  parameters: { id: { type: 'integer', required: true }, kind: { type: 'string', default: 'all' } },
  response: { format: 'json' },
}
await writeFile(join(folder, 'bench.json'), JSON.stringify(file))
const { tools } = await loadExtensions({ cwd: home, env: { HOME: home } })
const unlimited = Number.MAX_SAFE_INTEGER
const runtime = createRuntime({
  concurrency,
  limits: { callsPerTurn: unlimited },
  breaker: { maxCallsPerWindow: unlimited },
  log: () => {},
})
runtime.register(tools.map(({ tool }) => tool))
let sequence = 0

serve<RequestTasks>({
  rounds: (size, repeat) =>
    timeRequests(repeat, async () => {
      const calls: ToolCall[] = Array.from({ length: size }, () => ({
        id: `call-${++sequence}`,
        name: 'api_bench',
        params: { id: sequence },
      }))
      const results = await runtime.execute(calls)
      const failed = results.find(({ status }) => status !== 'success')
      if (failed !== undefined) throw new Error(failed.content)
    }),
})
