import type { ChildProcess } from 'node:child_process'
import { left } from '../../test/support/processes.ts'
import { until } from '../../test/support/until.ts'
import type { Stage } from './stage.ts'

/** What was seen of one client over one transport. */
export interface ClientChecks {
  /** It lists the tools, although one server cannot be started. */
  readonly list: boolean
  readonly call: boolean
  /** The model, or the caller of a library, reads that the call reached Curfew's limit. */
  readonly timeout: boolean
  /** How the server learned that the client gave up: a cancellation, the end of its input, or not at all. */
  readonly cancel: 'cancelled' | 'ended' | false
  /** A server that crashed during a call is reported, and another server still answers. */
  readonly dead: boolean
  readonly survivors: number
}

export const tools = {
  echo: 'mcp__probe__echo',
  hang: 'mcp__probe__hang',
  patientHang: 'mcp__patient__hang',
  crash: 'mcp__fragile__crash',
} as const

const cancelMs = 20_000
const endMs = 10_000

/** Whether a result says what happened. */
export const saysTimeout = (text: string): boolean =>
  text.includes('TOOL_TIMEOUT') && text.includes('its limit is 3 s')
export const saysCrash = (text: string): boolean => text.includes('the MCP server fragile was lost')
export const listsAll = (names: readonly string[]): boolean =>
  Object.values(tools).every((tool) => names.some((name) => name.endsWith(tool)))

/** Waits until the patient server has the call. */
export async function untilHanging(stage: Stage): Promise<void> {
  await until(() => stage.events('patient').some((event) => event.startsWith('call hang')))
}

/** Waits until the patient server was told to stop. */
export async function untilCancelled(stage: Stage, ms: number = cancelMs): Promise<ClientChecks['cancel']> {
  const seen = (word: string): boolean => stage.events('patient').some((event) => event.startsWith(word))
  await until(() => seen('cancelled') || seen('end'), ms).catch(() => {})
  return seen('cancelled') ? 'cancelled' : seen('end') && 'ended'
}

/** Like Ctrl-C on a terminal: the program must be the leader of its process group (`detached`). */
export function interrupt({ pid }: ChildProcess): void {
  process.kill(-pid!, 'SIGINT')
}

/** The processes that are left after everything was closed. */
export async function countSurvivors({ tag }: Stage): Promise<number> {
  await until(() => left(tag).length === 0, endMs).catch(() => {})
  return left(tag).length
}
