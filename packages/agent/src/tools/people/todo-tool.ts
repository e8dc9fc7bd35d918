import { CurfewError, type Runtime, type Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'

const maxTodos = 100
/** Lists of conversations that ended long ago are forgotten. */
const maxConversations = 1_000

const parameters = objectSchema(['todos'], {
  todos: {
    type: 'array',
    maxItems: maxTodos,
    description: 'The whole list, in order. It replaces the one before; empty removes it.',
    items: objectSchema(['task', 'status'], {
      task: described({ type: 'string', minLength: 1, maxLength: 500 }, 'What there is to do, in one line.'),
      status: {
        enum: ['pending', 'in_progress', 'completed', 'cancelled'],
        description: 'At most one task is in_progress.',
      },
    }),
  },
})

export interface Todo {
  readonly task: string
  readonly status: 'pending' | 'in_progress' | 'completed' | 'cancelled'
}

export interface TodoTool {
  readonly tool: Tool<never, TodoReport>
  /** The list of a conversation (`conversation.id`), for user interfaces; it changes when a call of the tool ends. */
  list(conversation: string): readonly Todo[]
}

/** The value of a result. */
export interface TodoReport {
  readonly todos: readonly Todo[]
}

/** `write_todos`: a list of what a model wants to do. It changes nothing but that list, so it needs neither approval nor a checkpoint. */
export function todoTool(runtime: Pick<Runtime, 'getCall'>): TodoTool {
  const lists = new Map<string, readonly Todo[]>()
  const tool = defineToolFrom(
    {
      name: 'write_todos',
      title: 'Update the list of tasks',
      description: 'Replace the list of tasks that you show to the person.',
      usage:
        'Use it for work with three or more steps: before the first one, and whenever a task begins or ends. Not for a single step, and not for notes: the person reads it. ' +
        'Returns how many tasks there are in each state.',
      parameters,
      readOnly: true,
      openWorld: false,
      resources: () => ['todos'],
      execute({ todos }, { uid }): TodoReport {
        const current = todos.filter(({ status }) => status === 'in_progress')
        if (current.length > 1) throw tooManyInProgress(current.length)
        const conversation = runtime.getCall(uid)?.conversation
        if (conversation !== undefined) {
          lists.delete(conversation)
          if (todos.length > 0) lists.set(conversation, todos)
          if (lists.size > maxConversations) lists.delete(lists.keys().next().value!)
        }
        return { todos }
      },
    },
    { adapter: 'builtin', textOf: (value) => todoText(value as TodoReport) },
  )
  return { tool, list: (conversation) => lists.get(conversation) ?? [] }
}

function tooManyInProgress(count: number): CurfewError {
  const message = `todos: expected at most one task with the status in_progress, got ${count}; set the others to pending`
  return new CurfewError('INVALID_PARAMS', message, {
    field: 'params.todos',
    fault: 'none',
    hadNoEffect: true,
  })
}

function todoText({ todos }: TodoReport): string {
  const count = (wanted: Todo['status']): number => todos.filter(({ status }) => status === wanted).length
  if (todos.length === 0) return 'The list is empty.'
  const current = todos.find(({ status }) => status === 'in_progress')
  const counts = `${count('completed')} of ${todos.length} completed, ${count('pending')} pending${count('cancelled') > 0 ? `, ${count('cancelled')} cancelled` : ''}`
  return current === undefined ? `Saved: ${counts}.` : `Saved: ${counts}; in progress: ${current.task}`
}
