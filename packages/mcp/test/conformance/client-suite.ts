import { type ExecFileOptions, execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { playScenario, type Scenario } from './client-scenario.ts'
import { suite } from './requirements.ts'

const program = fileURLToPath(new URL('./client.ts', import.meta.url))
/** All scenarios of a revision run at once, so each may be slow. */
const clientLimitMs = 90_000

/** Runs our client through all scenarios of a revision. Returns the result of each: `✓ 20 passed, 0 failed`. */
export async function runClientSuite(revision: string): Promise<ReadonlyMap<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'curfew-conformance-'))
  const socket = join(folder, 'client')
  const players = createServer({ allowHalfOpen: true }, (player) => void answer(player)).listen(socket)
  try {
    await once(players, 'listening')
    const path = [dirname(process.execPath), process.env.PATH].join(delimiter)
    const args = [
      fileURLToPath(new URL('dist/index.js', suite)),
      ...[
        'client',
        '--command',
        `node ${basename(program)}`,
        '--requirements',
        revision,
        '--timeout',
        String(clientLimitMs),
      ],
    ]
    const env = { ...process.env, PATH: path, CURFEW_CLIENT_SOCKET: socket }
    return readSummary(await run(args, { cwd: dirname(program), env, maxBuffer: 64 << 20 }))
  } finally {
    players.close()
    await rm(folder, { recursive: true })
  }
}

async function answer(player: Socket): Promise<void> {
  const scenario = JSON.parse(await text(player)) as Scenario
  const problem = await playScenario(scenario).then(() => '', String)
  player.end(problem)
}

/** The suite exits with 1 if a scenario failed, which unscored ones may. */
async function run(args: readonly string[], options: ExecFileOptions): Promise<string> {
  return await new Promise((resolve, reject) => {
    execFile(process.execPath, args, options, (error, stdout, stderr) => {
      if (error !== null && error.code !== 1) reject(error)
      else resolve(`${stdout}\n${stderr}`)
    })
  })
}

function readSummary(output: string): ReadonlyMap<string, string> {
  const lines = stripVTControlCharacters(output).matchAll(/^([✓✗]) (\S+): (.+)$/gm)
  return new Map([...lines].map(([, mark, scenario, counts]) => [scenario!, `${mark} ${counts}`]))
}
