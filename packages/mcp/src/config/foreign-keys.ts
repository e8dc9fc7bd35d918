/** Keys of other tools that have another name here. */
const otherNames: Readonly<Record<string, string>> = {
  transport: 'type',
  serverUrl: 'url',
  httpUrl: 'url',
  http_headers: 'headers',
  includeTools: 'include',
  excludeTools: 'exclude',
  enabled_tools: 'include',
  disabled_tools: 'exclude',
  tool_timeout_sec: 'timeout',
  startup_timeout_sec: 'startTimeout',
  startup_timeout_ms: 'startTimeout',
}

const approvals: ReadonlySet<string> = new Set(['autoApprove', 'alwaysAllow', 'autoAllow'])

export interface ForeignKey {
  readonly key: string
  readonly severity: 'error' | 'warning'
  readonly message: string
}

/** Separates the keys of other tools from an entry, with a message for each that has an equivalent here. */
export function extractForeignKeys(
  server: string,
  entry: Readonly<Record<string, unknown>>,
): { readonly own: Record<string, unknown>; readonly foreign: readonly ForeignKey[] } {
  const own: [string, unknown][] = []
  const foreign: ForeignKey[] = []
  for (const [key, value] of Object.entries(entry)) {
    const message = explainKey(server, key, value)
    if (message === undefined) own.push([key, value])
    else if (message !== null) foreign.push({ key, ...message })
  }
  return { own: Object.fromEntries(own), foreign }
}

/** Returns `undefined` for a key that is not foreign, and `null` for a value without an effect. */
function explainKey(server: string, key: string, value: unknown): Omit<ForeignKey, 'key'> | null | undefined {
  if (approvals.has(key)) {
    if (!Array.isArray(value) || value.length === 0) return null
    const rule = JSON.stringify(`mcp__${server}__${String(value[0]).slice(0, 64)}`)
    const message = `is ignored; allow tools with a rule in config.json instead: approval.rules.allow, as in ${rule}`
    return { severity: 'warning', message }
  }
  if (key === 'enabled') {
    if (value !== false) return null
    return { severity: 'error', message: 'is ignored; write "disabled": true' }
  }
  if (!Object.hasOwn(otherNames, key)) return undefined
  return { severity: 'warning', message: `is ignored; use "${otherNames[key]}"` }
}
