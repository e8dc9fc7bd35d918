import { CurfewError } from '../errors/curfew-error.ts'
import type { Tool } from '../tool/tool.ts'

/** A tool gets the secrets that it declares, and no others. */
export function assertDeclared(tool: Tool, key: string): void {
  if (tool.secrets.includes(key)) return
  throw new CurfewError(
    'INVALID_TOOL',
    `tool "${tool.name}": secrets does not name "${key}"; declare it there`,
    { field: 'secrets' },
  )
}
