import { CurfewError } from '../errors/curfew-error.ts'
import type { Tool } from '../tool/tool.ts'

/** Throws unless the tool declares the secret. */
export function assertDeclared(tool: Tool, key: string): void {
  if (tool.secrets.includes(key)) return
  throw new CurfewError(
    'INVALID_TOOL',
    `tool "${tool.name}": expected "${key}" to be declared in secrets; add it there`,
    { field: 'secrets' },
  )
}
