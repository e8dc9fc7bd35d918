import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { left, newTag } from '../../test/support/processes.ts'
import {
  prepareRealAgent,
  type RealAgent,
  realAgents,
  whyNotInstalled,
} from '../../test/support/real-agents.ts'
import type { Figure, Findings, Target } from '../report.ts'
import { median, sum } from '../statistics.ts'
import { cpuSeconds, pssMegabytes } from './process-usage.ts'
import { PseudoTerminal } from './pseudo-terminal.ts'
import { createHome, isOpen, openCurfew, prompt } from './terminal-agent.ts'

const rounds = 15
const peerRounds = 5
/** What was started has settled. */
const settleMs = 3_000
const quietMs = 5_000

interface Peer {
  readonly name: string
  readonly prompt: RegExp
  /** The fastest start that was observed elsewhere, in case it is not installed here. */
  readonly observedMs: number
}

const peers: Readonly<Record<RealAgent, Peer>> = {
  claude: { name: 'Claude Code', prompt: /❯/, observedMs: 550 },
  gemini: { name: 'Gemini CLI', prompt: /Type your message/, observedMs: 2_500 },
}
/** Codex with its daemon, the fastest of the agents that were observed. */
const fastestPeerMs = 420

/** The time from the start of `curfew` to its first frame, and what it uses while nothing happens. */
export async function measureTerminalStart(): Promise<Findings> {
  const home = createHome()
  try {
    const { nodeMs, firstMs, openMs } = await timeStart(home)
    const idle = await measureIdle(home)
    const targets: Target[] = [
      { name: 'first frame, over node -e 0', figure: firstMs - nodeMs, unit: 'ms', atMost: 200 },
      { name: 'start to prompt', figure: firstMs, unit: 'ms', atMost: fastestPeerMs },
      { name: 'idle: memory (PSS)', figure: idle.megabytes, unit: 'MB', atMost: 120 },
      { name: `idle: written in ${quietMs / 1_000} s`, figure: idle.bytes, unit: 'bytes', atMost: 0 },
    ]
    const information: Figure[] = [
      { name: 'node -e 0', figure: nodeMs, unit: 'ms' },
      { name: 'first frame / node -e 0', figure: firstMs / nodeMs, unit: 'x' },
      { name: 'start to an open agent', figure: openMs, unit: 'ms' },
      { name: 'idle: CPU', figure: idle.percent, unit: '%' },
    ]
    const notes = [
      `start: medians of ${rounds} alternating rounds on a pseudo-terminal of 100x30, with a warm compile cache`,
      `the fastest start of another agent: Codex with its daemon, ${fastestPeerMs} ms, measured separately`,
    ]
    for (const peer of realAgents) {
      const problem = whyNotInstalled(peer)
      if (problem !== null) {
        notes.push(`${problem} (elsewhere, it took ${peers[peer].observedMs} ms to its prompt)`)
        continue
      }
      const { ms, ourMs, megabytes } = await measurePeer(peer, home)
      const { name } = peers[peer]
      targets.push({ name: `start to prompt / ${name}`, figure: ourMs / ms, unit: 'x', atMost: 1 })
      information.push(
        { name: `${name}: start to prompt`, figure: ms, unit: 'ms' },
        { name: `${name}: idle memory (PSS)`, figure: megabytes, unit: 'MB' },
      )
    }
    return { targets, information, notes }
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function timeStart(home: string): Promise<Record<'nodeMs' | 'firstMs' | 'openMs', number>> {
  const nodeMs: number[] = []
  const firstMs: number[] = []
  const openMs: number[] = []
  // The first rounds are not counted: they fill the compile cache and the file system's cache.
  for (let round = -2; round < rounds; round++) {
    const node = await PseudoTerminal.open({
      command: [process.execPath, '-e', '0'],
      cwd: home,
      env: { HOME: home },
    })
    const ended = await node.ends()
    await node.close()
    const terminal = await openCurfew(home)
    const first = await terminal.shows(prompt)
    const open = await terminal.shows(isOpen)
    terminal.type('/quit\r')
    await terminal.ends()
    await terminal.close()
    if (round < 0) continue
    nodeMs.push(ended.ms)
    firstMs.push(first.ms)
    openMs.push(open.ms)
  }
  return { nodeMs: median(nodeMs), firstMs: median(firstMs), openMs: median(openMs) }
}

async function measureIdle(home: string): Promise<Record<'megabytes' | 'bytes' | 'percent', number>> {
  const terminal = await openCurfew(home)
  try {
    await terminal.shows(isOpen)
    await delay(settleMs)
    terminal.forget()
    const before = cpuSeconds(terminal.pid)
    await delay(quietMs)
    const percent = ((cpuSeconds(terminal.pid) - before) / (quietMs / 1_000)) * 100
    return { megabytes: pssMegabytes(terminal.pid), bytes: terminal.bytes, percent }
  } finally {
    await terminal.close()
  }
}

/** Alternates with `curfew`, because the load of the machine may change. */
async function measurePeer(
  peer: RealAgent,
  ourHome: string,
): Promise<Record<'ms' | 'ourMs' | 'megabytes', number>> {
  const tag = newTag()
  const { command, server, home } = await prepareRealAgent(peer, tag, () => [{ text: 'Hello.' }])
  const cwd = join(home, 'project')
  mkdirSync(cwd)
  if (peer === 'claude') skipOnboarding(home, cwd)
  const times: number[] = []
  const ourTimes: number[] = []
  let megabytes = Number.NaN
  try {
    for (let round = -1; round < peerRounds; round++) {
      const terminal = await PseudoTerminal.open({ command, cwd, env: { HOME: home } })
      const { ms } = await terminal.shows(peers[peer].prompt)
      if (round >= 0) times.push(ms)
      // The first one writes its caches.
      if (round < 0 || round === peerRounds - 1) await delay(settleMs)
      if (round === peerRounds - 1) megabytes = sum(left(tag).map(pssMegabytes))
      await terminal.close()
      const ours = await openCurfew(ourHome)
      ourTimes.push((await ours.shows(prompt)).ms)
      await ours.close()
    }
  } finally {
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
  return { ms: median(times), ourMs: median(ourTimes), megabytes }
}

/** Questions about the theme, the key and the folder, which are asked once. */
function skipOnboarding(home: string, cwd: string): void {
  const answered = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: ['test-key'], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
  }
  writeFileSync(join(home, '.claude.json'), JSON.stringify(answered))
}
