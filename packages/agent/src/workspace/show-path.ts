import { escapeInvisible } from '@curfew/core/internal'

/** A path or name in one line, as people and models see it: a file's name may contain line breaks and control characters. */
export function showPath(path: string): string {
  return escapeInvisible(path).replaceAll('\n', '\\u000a')
}
