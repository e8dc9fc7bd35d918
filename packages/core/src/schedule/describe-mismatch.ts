import type { Validation } from '../schema/compile-schema.ts'
import { describeIssues } from '../schema/invalid-params.ts'
import type { Tool } from '../tool/tool.ts'

/**
 * After a failed call of a tool that validates its parameters itself: what its schema says about them, because many tools report only
 * that something is wrong. `null` if they match.
 */
export function describeMismatch(tool: Tool, params: unknown): string | null {
  if (!tool.validatesItself) return null
  const validation = tryToValidate(tool, params)
  if (validation === null || validation.ok) return null
  const problems = describeIssues(tool, params, validation.issues)
  return `The arguments do not match the tool's schema: ${problems}${problems.endsWith('?') ? '' : '.'}`
}

/** The call has ended, so a schema that cannot be applied, or not immediately, changes nothing. */
function tryToValidate({ schema }: Tool, params: unknown): Validation | null {
  try {
    const validation = schema.validate(params)
    if (!(validation instanceof Promise)) return validation
    validation.catch(() => {})
  } catch {}
  return null
}
