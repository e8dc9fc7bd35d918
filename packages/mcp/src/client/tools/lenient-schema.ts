import { compileSchema } from '@curfew/core/internal'
import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'

/**
 * Validates arguments without changing them: the server applies its own defaults. A schema that cannot be compiled accepts
 * everything, and the server validates.
 */
export function lenientSchema(inputSchema: ToolDefinition['inputSchema']): never {
  const schema = { ...inputSchema, type: 'object' }
  let check: ReturnType<typeof compileSchema>['validate'] | undefined
  const standard = {
    version: 1,
    vendor: 'mcp',
    jsonSchema: { input: () => schema, output: () => schema },
    validate(value: unknown) {
      try {
        // Compiled on the first call: most tools are never called.
        check ??= compileSchema(schema, 'inputSchema').validate
      } catch {
        check = (params) => ({ ok: true, params })
      }
      const checked = check(value)
      if (checked instanceof Promise || checked.ok) return { value }
      return {
        issues: checked.issues.map(({ path, message }) => ({ message, path: path === '' ? [] : [path] })),
      }
    },
  }
  return { '~standard': standard } as never
}
