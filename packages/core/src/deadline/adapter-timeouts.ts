import { formatDuration } from '../duration/format-duration.ts'

/** The kind of a tool. Each kind has its own default timeout. `background` is for background tasks, whatever their tool. */
export type Adapter =
  | 'builtin'
  | 'function'
  | 'script'
  | 'api'
  | 'mcp-http'
  | 'mcp-stdio'
  | 'subagent'
  | 'external-agent'
  | 'cross-review'
  | 'plan'
  | 'transcribe'
  | 'image'
  | 'background'

interface AdapterTimeout {
  /** `null`: `toolCallTimeout` applies. */
  readonly defaultMs: number | null
  /** The maximum, regardless of where the timeout is set. */
  readonly capMs: number | null
}

const second = 1_000
const minute = 60 * second

export const adapterTimeouts: Readonly<Record<Adapter, AdapterTimeout>> = {
  builtin: { defaultMs: minute, capMs: null },
  function: { defaultMs: null, capMs: null },
  script: { defaultMs: 300 * second, capMs: null },
  api: { defaultMs: minute, capMs: 300 * second },
  'mcp-http': { defaultMs: minute, capMs: null },
  'mcp-stdio': { defaultMs: minute, capMs: null },
  subagent: { defaultMs: 10 * minute, capMs: 60 * minute },
  'external-agent': { defaultMs: 10 * minute, capMs: 60 * minute },
  'cross-review': { defaultMs: 15 * minute, capMs: 60 * minute },
  plan: { defaultMs: 5 * minute, capMs: 60 * minute },
  transcribe: { defaultMs: 5 * minute, capMs: 60 * minute },
  image: { defaultMs: 15 * minute, capMs: 60 * minute },
  background: { defaultMs: 480 * minute, capMs: null },
}

/** A warning about a timeout that its adapter's cap shortens; `null` if it does not. */
export function describeCapped(adapter: Adapter, timeoutMs: number): string | null {
  const { capMs } = adapterTimeouts[adapter]
  if (capMs === null || timeoutMs <= capMs) return null
  return `${formatDuration(timeoutMs)} exceeds the adapter's cap of ${formatDuration(capMs)}, which applies`
}
