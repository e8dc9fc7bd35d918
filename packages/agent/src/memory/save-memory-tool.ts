import { CurfewError, type Restriction, type Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import type { Workspace } from '../workspace/workspace.ts'
import { oneLineFact } from './add-fact.ts'
import type { Memory, MemoryScope } from './create-memory.ts'

export interface SaveMemoryOptions {
  readonly memory: Memory
  readonly workspace: Workspace
  /** Removes known secrets. A fact that contains one is denied. */
  redact(text: string): string
}

export const saveMemoryName = 'save_memory'
const maxFactLength = 500

/** Saves a fact in AGENTS.md, which is part of the system prompt of later turns and conversations. */
export function saveMemoryTool({ memory, workspace, redact }: SaveMemoryOptions): Tool {
  const restrict = (fact: string, scope: MemoryScope): Restriction | null => {
    if (redact(fact) !== fact)
      return { verdict: 'deny', reason: 'the fact contains a secret, which must not be saved; remove it' }
    const path = memory.pathOf(scope)
    if (scope === 'project') return workspace.restrictWrite(path)
    // Otherwise a page that the model has read could instruct all later conversations.
    return {
      verdict: 'ask',
      reason: `${path} is protected: agents follow it as instructions, in all projects`,
    }
  }

  return defineToolFrom(
    {
      name: saveMemoryName,
      title: 'Remember a fact',
      description: 'Save one fact in AGENTS.md, so that it is known in later conversations.',
      usage:
        "Use it when the person asks to remember something, or states a lasting preference. Not for notes about the current task, secrets, or what can be read from the project's files. " +
        'Returns the file that was changed, or that the fact was already known; fails if the file is full.',
      parameters: objectSchema(['fact'], {
        fact: described(
          { type: 'string', minLength: 1, maxLength: maxFactLength },
          'One self-contained sentence, such as: Prefers tabs over spaces.',
        ),
        scope: described(
          { type: 'string', enum: ['user', 'project'], default: 'user' },
          "user: the person's own file, for all projects; project: the file of this project.",
        ),
      }),
      readOnly: false,
      destructive: false,
      idempotent: true,
      openWorld: false,
      // As the tools for files name it.
      resources: ({ scope }) => [`file:${workspace.locate(memory.pathOf(scope)).realPath}`],
      preview: ({ fact, scope }) => `${memory.pathOf(scope)}\n+ - ${oneLineFact(fact)}`,
      restrict: ({ fact, scope }) => restrict(fact, scope),
      async execute({ fact, scope }, { signal, restriction }) {
        // Where the path leads may have changed since the approval.
        const now = restrict(fact, scope)
        if (now !== null && (now.verdict === 'deny' || now.reason !== restriction))
          throw new CurfewError('DENIED', `${saveMemoryName}: ${now.reason}`, { hadNoEffect: true })
        const line = oneLineFact(fact)
        if (line === '')
          throw new CurfewError('INVALID_PARAMS', 'fact: expected a sentence, got only punctuation', {
            field: 'params.fact',
          })
        const isNew = await memory.save(line, scope, signal as AbortSignal)
        const path = memory.pathOf(scope)
        return isNew
          ? `Saved in ${path}. It is part of the instructions from the next prompt on.`
          : `${path} contains it already; nothing was changed.`
      },
    },
    { adapter: 'builtin' },
  ) as Tool
}
