import { compileSchema, loadSchemaCompiler, messageOf, OutOfTime, runInTime } from '@curfew/core/internal'
import type { Tool as ToolDefinition } from '@modelcontextprotocol/client'

/** A server's schema can contain anything: with references, a few lines are enough for billions of steps. */
const limitMs = 1_000
/** On a busy machine, the first attempt may be stopped; what it leaves behind stays in memory. */
const maxCompilations = 3

type Issues = readonly { readonly message: string; readonly path: readonly string[] }[]

/**
 * Validates arguments without changing them: the server applies its own defaults. A schema that cannot be compiled accepts
 * everything, and the server validates.
 */
export function lenientSchema(inputSchema: ToolDefinition['inputSchema']): never {
  const schema = { ...inputSchema, type: 'object' }
  let check: ReturnType<typeof compileSchema>['validate'] | undefined
  let compilations = 0
  // Compiled on first use: most calls are not validated.
  const compile = (): NonNullable<typeof check> => {
    if (++compilations > maxCompilations) throw new Error('compiling the schema takes too long')
    try {
      loadSchemaCompiler(schema)
      return runInTime(limitMs, () => compileSchema(schema, 'inputSchema').validate)
    } catch (error) {
      if (error instanceof OutOfTime) throw error
      return (params) => ({ ok: true, params })
    }
  }
  const issuesOf = (validate: NonNullable<typeof check>, value: unknown): Issues => {
    const checked = validate(value)
    if (checked instanceof Promise || checked.ok) return []
    return checked.issues.map(({ path, message }) => ({ message, path: path === '' ? [] : [path] }))
  }
  const standard = {
    version: 1,
    vendor: 'mcp',
    jsonSchema: { input: () => schema, output: () => schema },
    validate(value: unknown) {
      try {
        check ??= compile()
        const validate = check
        const issues = runInTime(limitMs, () => issuesOf(validate, value))
        return issues.length === 0 ? { value } : { issues }
      } catch (error) {
        // For example a pattern that takes too long.
        const message =
          error instanceof OutOfTime ? 'comparing them with the schema takes too long' : messageOf(error)
        return { issues: [{ message, path: [] }] }
      }
    },
  }
  return { '~standard': standard } as never
}
