import type { Tool } from '@curfew/core'
import { defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import { jsonAnswer, stringsOf, trimmed } from './json-answer.ts'
import { type ChildOptions, type ChildReport, describeChild, runChild } from './run-child.ts'
import { usable } from './subagent-tool.ts'

export interface Plan {
  readonly summary: string
  readonly steps: readonly PlanStep[]
  readonly risks: readonly string[]
  readonly questions: readonly string[]
}

export interface PlanStep {
  readonly title: string
  readonly details: string
  readonly files: readonly string[]
}

export interface PlanResult {
  readonly plan: Plan
  /** How it was made. */
  readonly report: ChildReport
}

const maxTaskLength = 100_000

const instructions = `Look around with read-only tools, and write a plan that another agent can carry out without further research. Change nothing.
Your final message is one JSON object and nothing else:
{"summary": "one paragraph", "steps": [{"title": "imperative, one line", "details": "what exactly, and how to check it", "files": ["path"]}], "risks": ["..."], "questions": ["what only a person can decide"]}
Name real files and functions that you have seen. Keep steps small and in the order in which they are done.`

/** `generate_plan`: a child that may only read, and returns a plan. */
export function planTool(options: ChildOptions): Tool<never, PlanResult> {
  return defineToolFrom(
    {
      name: 'generate_plan',
      title: 'Plan a task',
      description: 'Explore the workspace without changing it and return a step-by-step plan for a task.',
      usage:
        "Use it before a task that touches several files or whose parts you do not know yet. Not for a task of one or two steps: do it. Not to carry out the plan: use your own tools or 'invoke_subagent'. " +
        'The planner sees nothing of this conversation, so the task must contain everything it needs. Returns a summary, steps with their files, risks and open questions; if its time runs out, what it has found so far.',
      parameters: objectSchema(['task'], {
        task: described(
          { type: 'string', minLength: 1, maxLength: maxTaskLength },
          'What is to be achieved, with all context and constraints.',
        ),
      }),
      readOnly: true,
      concurrent: true,
      openWorld: true,
      resources: () => [],
      async execute({ task }, context) {
        const report = await runChild(
          options,
          {
            name: 'planner',
            prompt: task,
            instructions,
            tools: [],
            model: null,
            mode: 'plan',
            show: (text) => context.output(text),
          },
          context,
        )
        return { plan: readPlan(report.answer), report: usable('the planner', report) }
      },
    },
    {
      adapter: 'plan',
      textOf: (value) => {
        const { plan, report } = value as PlanResult
        return `${showPlan(plan)}\n\n${describeChild('planner', report)}`
      },
    },
  )
}

/** The plan in an answer. One that is not JSON is the summary, with the items of its first-level list as steps. */
export function readPlan(answer: string): Plan {
  const value = jsonAnswer(answer)
  const steps = Array.isArray(value?.steps) ? value.steps.map(readStep) : []
  const named = steps.filter(({ title }) => title !== '')
  if (value !== null && named.length > 0)
    return {
      summary: trimmed(value.summary),
      steps: named,
      risks: stringsOf(value.risks),
      questions: stringsOf(value.questions),
    }
  const listed = [...answer.matchAll(/^(?:\d+[.)]|[-*])\s+(.+)$/gm)].map(([, title]) => title!.trim())
  return {
    summary: answer,
    steps: listed.map((title) => ({ title, details: '', files: [] })),
    risks: [],
    questions: [],
  }
}

function readStep(step: unknown): PlanStep {
  if (typeof step === 'string') return { title: step.trim(), details: '', files: [] }
  const { title, details, files } = Object(step) as Record<string, unknown>
  return { title: trimmed(title), details: trimmed(details), files: stringsOf(files) }
}

function showPlan({ summary, steps, risks, questions }: Plan): string {
  // A plan that is not structured is shown as it was written.
  if (steps.every(({ details, files }) => details === '' && files.length === 0) && summary !== '')
    return summary
  const shown = steps.map(({ title, details, files }, index) => {
    const where = files.length === 0 ? '' : `\n   Files: ${files.join(', ')}`
    return `${index + 1}. ${title}${details === '' ? '' : `\n   ${details}`}${where}`
  })
  const list = (name: string, items: readonly string[]): string[] =>
    items.length === 0 ? [] : [`${name}:\n${items.map((item) => `- ${item}`).join('\n')}`]
  return [summary, shown.join('\n'), ...list('Risks', risks), ...list('Open questions', questions)]
    .filter((part) => part !== '')
    .join('\n\n')
}
