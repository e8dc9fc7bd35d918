import { isDeepStrictEqual } from 'node:util'
import {
  defaultCallTimeoutMs,
  type HttpTarget,
  type PinMode,
  type ServerConfig,
  type StdioTarget,
  serverDefaults,
} from './server-config.ts'

/** Everything that an entry can set. */
type Setting = Exclude<keyof ServerConfig, 'name' | 'file' | 'root' | 'ofProject'>

type IsLooser<K extends Setting> = (before: ServerConfig[K], after: ServerConfig[K]) => boolean

const differs = (before: unknown, after: unknown): boolean => !isDeepStrictEqual(before, after)
const becomes =
  <T>(value: T): ((before: T, after: T) => boolean) =>
  (before, after) =>
    before !== value && after === value
/** `fallback` applies if it is not set. */
const isLonger =
  (fallback: number): ((before: number | null | undefined, after: number | null | undefined) => boolean) =>
  (before, after) =>
    (after ?? fallback) > (before ?? fallback)

/** The strictest first. */
const pinModes: readonly PinMode[] = ['strict', 'notify', 'off']

/** Which changes of a setting allow more than before, or start something else. */
const looser: { readonly [K in Setting]: IsLooser<K> } = {
  target: differs,
  protocol: differs,
  instances: differs,
  timeoutMs: isLonger(defaultCallTimeoutMs),
  idleTimeoutMs: isLonger(Number.POSITIVE_INFINITY),
  startTimeoutMs: isLonger(serverDefaults.startTimeoutMs),
  idleStopMs: isLonger(Number.POSITIVE_INFINITY),
  trust: becomes(true),
  eager: becomes(true),
  strict: becomes(false),
  loops: becomes(false),
  pin: (before, after) => pinModes.indexOf(after) > pinModes.indexOf(before),
  include: (before, after) =>
    before !== null && (after === null || after.some((glob) => !before.includes(glob))),
  exclude: (before, after) => before.some((glob) => !after.includes(glob)),
}

export interface Tightened {
  /** The new definition, with the old value of everything that would be looser. */
  readonly server: ServerConfig
  /** The keys of the entry that would be looser. */
  readonly loosened: readonly string[]
}

/** Applies a change of a server as far as it starts nothing else and allows nothing more than before. */
export function tighten(before: ServerConfig, after: ServerConfig): Tightened {
  const kept = (Object.keys(looser) as Setting[]).filter((key) => isLooser(key, before, after))
  const old = Object.fromEntries(kept.map((key) => [key, before[key]]))
  return {
    server: { ...after, ...old },
    loosened: kept.flatMap((key) =>
      key === 'target' ? changedKeys(before.target, after.target) : [key.replace(/Ms$/, '')],
    ),
  }
}

function isLooser<K extends Setting>(key: K, before: ServerConfig, after: ServerConfig): boolean {
  return looser[key](before[key], after[key])
}

function changedKeys(before: StdioTarget | HttpTarget, after: StdioTarget | HttpTarget): string[] {
  const values = (target: object): Readonly<Record<string, unknown>> => ({ ...target })
  const [old, next] = [values(before), values(after)]
  const keys = ['kind', 'command', 'args', 'env', 'cwd', 'url', 'address', 'headers', 'oauth']
  const changed = keys.filter((key) => differs(old[key], next[key]))
  const names: Readonly<Record<string, string>> = { kind: 'type', address: 'url' }
  return [...new Set(changed.map((key) => names[key] ?? key))]
}
