import type { BehaviourFlag, Tool } from './tool.ts'

export interface ToolFlags {
  readonly readOnly?: boolean | undefined
  readonly concurrent?: boolean | undefined
  readonly idempotent?: boolean | undefined
}

/**
 * A copy of a tool with other flags, which may contradict its definition: `readOnly: true` also means idempotent and not
 * destructive. `idempotent: false` is stricter than `readOnly: true`, so the tool is then not read-only.
 */
export function withFlags<T extends Tool>(tool: T, flags: ToolFlags): T {
  const { declared } = tool
  const readOnly = flags.idempotent !== false && (flags.readOnly ?? tool.readOnly)
  const changed = (['readOnly', 'idempotent'] as const).filter((flag) => flags[flag] !== undefined)
  return {
    ...tool,
    readOnly,
    concurrent: flags.concurrent ?? tool.concurrent,
    idempotent: readOnly || (flags.idempotent ?? (declared.has('idempotent') && tool.idempotent)),
    // The default for a tool that is not read-only.
    destructive: !readOnly && (!declared.has('destructive') || tool.destructive),
    declared: new Set<BehaviourFlag>([...declared, ...changed]),
  }
}
