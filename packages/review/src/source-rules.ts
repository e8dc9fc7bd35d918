import type { Rule } from './review-types.ts'

/** What is found while a definition is read, before any rule looks at it. */
export const sourceRules: readonly Pick<Rule, 'id' | 'severity' | 'summary'>[] = [
  {
    id: 'definition-shape',
    severity: 'error',
    summary:
      'A definition is what the protocol says: a name, an object for a schema, hints that are true or false.',
  },
  {
    id: 'suppression',
    severity: 'warning',
    summary: 'A suppression names a rule that there is, and a reason.',
  },
]
