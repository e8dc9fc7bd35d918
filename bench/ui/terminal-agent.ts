import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type ModelServer,
  type Reply,
  startModelServer,
} from '../../packages/torture/src/model-server/start-model-server.ts'
import { PseudoTerminal } from './pseudo-terminal.ts'

const bin = fileURLToPath(new URL('../../packages/cli/bin/curfew.cjs', import.meta.url))

/** The input line. */
export const prompt = /> /
/** The status line of an agent that is open. */
export const isOpen = /ask before changes|plan|allows? all/

/** `curfew` on a pseudo-terminal, with a model on the loopback interface. */
export interface TerminalAgent {
  readonly terminal: PseudoTerminal
  /** The folder that it works in. */
  readonly home: string
  close(): Promise<void>
}

/** A home directory with a folder for the compile cache. */
export function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'curfew-bench-'))
  mkdirSync(join(home, '.cache'))
  return home
}

export function openCurfew(home: string, args: readonly string[] = []): Promise<PseudoTerminal> {
  return PseudoTerminal.open({
    command: [process.execPath, bin, ...args],
    cwd: home,
    env: { HOME: home },
  })
}

/** Opens an agent whose model answers each request with the next reply. */
export async function openTerminalAgent(
  script: (index: number) => Reply,
  args: readonly string[] = [],
): Promise<TerminalAgent> {
  const home = createHome()
  const server: ModelServer = await startModelServer({
    format: 'openai',
    requiresKey: false,
    script: (_, index) => script(index),
  })
  const model = `openai-compatible:test@${server.url}`
  const terminal = await openCurfew(home, ['--model', model, ...args])
  const close = async (): Promise<void> => {
    await terminal.close()
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
  try {
    await terminal.shows(isOpen)
  } catch (error) {
    await close()
    throw error
  }
  return { terminal, home, close }
}
