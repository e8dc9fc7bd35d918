import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  type ClientChecks,
  countSurvivors,
  interrupt,
  listsAll,
  saysCrash,
  saysTimeout,
  tools,
  untilCancelled,
  untilHanging,
} from './client-checks.ts'
import { createStage, type Stage, type Transport } from './stage.ts'

const program = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector-cli/package.json')),
  'build/cli.js',
)
const limitMs = 60_000

/** Uses the gateway through the command line of the Inspector, which starts anew for each request. */
export async function checkInspector(transport: Transport): Promise<ClientChecks> {
  const stage = await createStage(transport)
  try {
    const call = (tool: string, text: string): Promise<string> => outputOf(inspect(stage, callOf(tool, text)))
    const listed = await outputOf(inspect(stage, ['--method', 'tools/list']))
    const names = Array.from(listed.matchAll(/"name": "([^"]+)"/g), ([, name = '']) => name)
    const echoed = await call(tools.echo, 'one')
    const timedOut = await call(tools.hang, 'two')
    const crashed = await call(tools.crash, 'three')
    const again = await call(tools.echo, 'four')
    const hanging = inspect(stage, callOf(tools.patientHang, 'five'))
    await untilHanging(stage)
    interrupt(hanging)
    const cancel = await untilCancelled(stage)
    await outputOf(hanging)
    await stage.close()
    return {
      list: listsAll(names),
      call: echoed.includes('heard one'),
      timeout: saysTimeout(timedOut),
      cancel,
      dead: saysCrash(crashed) && again.includes('heard four'),
      survivors: await countSurvivors(stage),
    }
  } finally {
    await stage.close()
  }
}

function callOf(tool: string, text: string): string[] {
  return ['--method', 'tools/call', '--tool-name', tool, '--tool-arg', `text=${text}`]
}

/** It restarts itself with the `node` on the PATH, and finds its package only from its own folder. */
function inspect({ target, env }: Stage, options: readonly string[]): ChildProcess {
  const reached =
    'url' in target
      ? [target.url, '--transport', 'http', '--header', `Authorization: Bearer ${target.token}`]
      : [target.command, ...target.args]
  return spawn(process.execPath, [program, '--cli', ...reached, ...options], {
    env: { ...env, PATH: `${dirname(process.execPath)}:${env.PATH}` },
    cwd: dirname(program),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    timeout: limitMs,
  })
}

async function outputOf(child: ChildProcess): Promise<string> {
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  return output
}
