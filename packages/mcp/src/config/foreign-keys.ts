/** How other tools call what has another name here. */
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

/** An entry without the keys of other tools that mean nothing here, and a word on each that was meant to do something. */
export function extractForeignKeys(
  server: string,
  entry: Readonly<Record<string, unknown>>,
): { readonly own: Record<string, unknown>; readonly foreign: readonly ForeignKey[] } {
  const own: [string, unknown][] = []
  const foreign: ForeignKey[] = []
  for (const [key, value] of Object.entries(entry)) {
    const said = wordOn(server, key, value)
    if (said === undefined) own.push([key, value])
    else if (said !== null) foreign.push({ key, ...said })
  }
  return { own: Object.fromEntries(own), foreign }
}

/** `undefined` for a key that is not foreign, `null` if it says nothing that matters. */
function wordOn(server: string, key: string, value: unknown): Omit<ForeignKey, 'key'> | null | undefined {
  if (approvals.has(key)) {
    if (!Array.isArray(value) || value.length === 0) return null
    const rule = JSON.stringify(`mcp__${server}__${String(value[0]).slice(0, 64)}`)
    const message = `does nothing here; what may run without a question is a rule in config.json: approval.rules.allow, as in ${rule}`
    return { severity: 'warning', message }
  }
  if (key === 'enabled') {
    if (value !== false) return null
    return { severity: 'error', message: 'is not known here; write "disabled": true' }
  }
  if (!Object.hasOwn(otherNames, key)) return undefined
  return { severity: 'warning', message: `does nothing here; it is called "${otherNames[key]}"` }
}
