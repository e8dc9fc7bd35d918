import { formatDuration, type Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import type { Workspace } from '../workspace/workspace.ts'
import type { ExternalAgent } from './external-agents.ts'
import { type ExternalReport, runExternalAgent } from './run-external-agent.ts'

export interface ExternalAgentOptions {
  readonly externalAgents: readonly ExternalAgent[]
  readonly workspace: Pick<Workspace, 'root'>
}

const maxTaskLength = 100_000
const maxConcurrent = 3
/** How long a program may take to end. */
const graceMs = 500

/** `invoke_external_agent`: another program that completes a task, such as Claude Code. */
export function externalAgentTool({
  externalAgents,
  workspace,
}: ExternalAgentOptions): Tool<never, ExternalReport> {
  const byName = new Map(externalAgents.map((agent) => [agent.name, agent]))
  return defineToolFrom(
    {
      name: 'invoke_external_agent',
      title: 'Start an external agent',
      description: 'Run another agent program on a task in this workspace and return its answer.',
      usage:
        "Use it when the person asks for a particular program, or for a second opinion of another model. Not for work that you can delegate to your own tools: use 'invoke_subagent'. Not for several opinions on one thing: use 'cross_review_with_external_agents'. " +
        'The program sees nothing of this conversation, so the task must contain everything it needs; it is ended at the time limit, with everything it started. A program that is not installed is an error that says how to install it.',
      parameters: objectSchema(['agent', 'task'], {
        agent: described(
          { type: 'string', enum: [...byName.keys()] },
          'The program that completes the task.',
        ),
        task: described(
          { type: 'string', minLength: 1, maxLength: maxTaskLength },
          'What to do, with all context: files, constraints, and what the answer must contain.',
        ),
        access: described(
          { type: 'string', enum: ['read', 'edit'], default: 'read' },
          'Whether it may only read the files of the workspace, or also edit them.',
        ),
      }),
      readOnly: false,
      destructive: true,
      idempotent: false,
      openWorld: true,
      // Which files it edits is not known.
      resources: ({ access }) => (access === 'read' ? [] : undefined),
      maxConcurrent,
      async execute({ agent, task, access }, context) {
        const show = (text: string): void => context.output(text)
        const { root: cwd } = workspace
        return await runExternalAgent(
          { agent: byName.get(agent)!, prompt: task, access: access as 'read' | 'edit', cwd, show },
          context,
        )
      },
    },
    {
      adapter: 'external-agent',
      graceMs,
      textOf: (value) => {
        const { agent, answer, ended, tools, durationMs } = value as ExternalReport
        const early = ended === 'limit' ? '; it was ended at its time limit, so this is incomplete' : ''
        return `${answer}\n\n[${agent}: ${tools} tool calls, ${formatDuration(durationMs)}${early}]`
      },
    },
  )
}
