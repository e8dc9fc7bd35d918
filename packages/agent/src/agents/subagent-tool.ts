import { CurfewError, type Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import { type AgentFile, inlineAgent } from './load-agent-files.ts'
import { type ChildOptions, type ChildReport, describeChild, runChild } from './run-child.ts'

export interface SubagentOptions extends ChildOptions {
  /** Agents that files describe. */
  readonly agents: readonly AgentFile[]
  /** The longest time of a subagent, whatever else is configured: `MAX_SUBAGENT_TIMEOUT_MIN`. */
  readonly maxSubagentMs?: number | undefined
}

export interface SubagentResult extends ChildReport {
  readonly agent: string
}

/** How many subagents run at the same time; those inside another one do not count. */
const maxSubagents = 3
const maxTaskLength = 100_000

/** `invoke_subagent`: another agent with its own conversation, whose calls need the same approval as those of the agent that starts it. */
export function subagentTool(options: SubagentOptions): Tool<never, SubagentResult> {
  const { agents, maxSubagentMs } = options
  const byName = new Map(agents.map((agent) => [agent.name, agent]))
  return defineToolFrom(
    {
      name: 'invoke_subagent',
      title: 'Start a subagent',
      description: 'Delegate a self-contained task to another agent and return its final answer.',
      usage:
        'Use it for work that needs many calls but whose result is short, such as searching a large code base, and start several in one response to work in parallel (three run at once). ' +
        "Not for a single call: call the tool yourself. Not for a program such as claude or codex: use 'invoke_external_agent'. " +
        'The subagent sees nothing of this conversation, so the task must contain everything it needs. Returns its answer, its calls and why it ended; one that runs out of time returns what it has.',
      parameters: objectSchema(['task'], {
        task: described(
          { type: 'string', minLength: 1, maxLength: maxTaskLength },
          'What to do, with all context: files, constraints, and what the answer must contain.',
        ),
        agent: {
          type: 'string',
          enum: [inlineAgent, ...byName.keys()],
          default: inlineAgent,
          description: describeAgents(agents),
        },
        instructions: described(
          { type: 'string', maxLength: maxTaskLength, default: '' },
          'Additional system instructions, such as a role or rules.',
        ),
        tools: {
          type: 'array',
          items: { type: 'string', minLength: 1, maxLength: 128 },
          maxItems: 100,
          default: [],
          description: 'Names or globs of the only tools it may call; empty for all.',
        },
      }),
      // It changes nothing itself, but its tools may.
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: true,
      // Its calls have their own resources.
      resources: () => [],
      maxConcurrent: maxSubagents,
      async execute({ task, agent: name, instructions, tools }, context) {
        const agent = byName.get(name)
        const report = await runChild(
          options,
          {
            name,
            prompt: task,
            instructions: [agent?.instructions, instructions].filter(Boolean).join('\n\n'),
            tools: [...(agent?.tools == null ? [] : [agent.tools]), ...(tools.length === 0 ? [] : [tools])],
            model: agent?.model ?? null,
            mode: agent?.mode ?? null,
            show: (text) => context.output(text),
          },
          context,
        )
        return { agent: name, ...usable(`the subagent ${name}`, report) }
      },
    },
    {
      adapter: 'subagent',
      maxTimeoutMs: maxSubagentMs,
      // The calls of the subagent are approved one by one.
      promptsItself: true,
      ...(agents.some(({ timeoutMs }) => timeoutMs !== null) && {
        timeoutFor: ({ agent }: { readonly agent: string }) => byName.get(agent)?.timeoutMs ?? undefined,
      }),
      textOf: (value) => {
        const result = value as SubagentResult
        const answer = result.answer === '' ? 'The subagent gave no answer.' : result.answer
        return `${answer}\n\n${describeChild(result.agent, result)}`
      },
    },
  )
}

/** A child that did nothing because its model failed has no result. */
export function usable(name: string, report: ChildReport): ChildReport {
  const { answer, calls, ended, message } = report
  if (answer !== '' || calls.length > 0 || ended === 'answer') return report
  throw new CurfewError('TOOL_FAILED', `${name} ended without doing anything (${ended}): ${message ?? ''}`, {
    hadNoEffect: true,
  })
}

function describeAgents(agents: readonly AgentFile[]): string {
  const lines = agents.map(({ name, description }) => `${name}: ${description.replace(/\.$/, '')}`)
  return [`${inlineAgent}: any task, as described by the task itself`, ...lines].join('. ')
}
