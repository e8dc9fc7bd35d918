import type { Rule } from './review-types.ts'

/** Rules that apply while a definition is read, before the others run. */
export const sourceRules: readonly Pick<Rule, 'id' | 'severity' | 'summary'>[] = [
  {
    id: 'definition-shape',
    severity: 'error',
    summary:
      'A definition follows the protocol: it has a name, its schemas are objects, its hints are true or false.',
  },
  {
    id: 'suppression',
    severity: 'warning',
    summary: 'A suppression names an existing rule and gives a reason.',
  },
]
