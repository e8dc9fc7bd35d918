import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { Findings } from '../report.ts'
import { median } from '../statistics.ts'

const rounds = 40
const curfew = fileURLToPath(new URL('../../packages/cli/bin/curfew.cjs', import.meta.url))
const commands: Readonly<Record<'node' | 'curfew' | 'gnu', readonly [string, ...string[]]>> = {
  node: [process.execPath, '-e', '0'],
  curfew: [process.execPath, curfew, 'timeout', '10', 'true'],
  gnu: ['timeout', '10', 'true'],
}

/** What `curfew timeout` takes from the command line, of which Node has its share. */
export async function measureCommandLine(): Promise<Findings> {
  const times = { node: [] as number[], curfew: [] as number[], gnu: [] as number[] }
  for (const argv of Object.values(commands)) await time(argv)
  for (let round = 0; round < rounds; round++) {
    times.node.push(await time(commands.node))
    times.curfew.push(await time(commands.curfew))
    times.gnu.push(await time(commands.gnu))
  }
  const [node, ours, gnu] = [median(times.node), median(times.curfew), median(times.gnu)]
  return {
    targets: [{ name: '`curfew timeout 10 true` / `node -e 0`', figure: ours / node, unit: 'x', atMost: 2 }],
    information: [
      { name: '`node -e 0`', figure: node, unit: 'ms' },
      { name: '`curfew timeout 10 true`', figure: ours, unit: 'ms' },
      { name: 'GNU `timeout 10 true`', figure: gnu, unit: 'ms' },
    ],
  }
}

async function time([file, ...args]: readonly [string, ...string[]]): Promise<number> {
  const start = performance.now()
  const [code] = await once(spawn(file, args, { stdio: 'ignore' }), 'exit')
  if (code !== 0) throw new Error(`${file} ${args.join(' ')} ended with ${String(code)}`)
  return performance.now() - start
}
