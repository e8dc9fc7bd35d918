import { CurfewError, type Tool, type ToolContext } from '@curfew/core'
import { checkCommand, defineToolFrom, described, objectSchema } from '@curfew/core/internal'
import type { ExternalAgentOptions } from './external-agent-tool.ts'
import type { ExternalAgent } from './external-agents.ts'
import { linePrefix } from './line-prefix.ts'
import { type AgentFile, inlineAgent } from './load-agent-files.ts'
import { type MergedReview, mergeOpinions } from './merge-opinions.ts'
import { showFinding } from './review-opinion.ts'
import { type Reviewer, type ReviewRounds, runReviewRounds } from './review-rounds.ts'
import { runChild } from './run-child.ts'
import { runExternalAgent } from './run-external-agent.ts'
import type { SubagentOptions } from './subagent-tool.ts'

export type CrossReviewOptions = SubagentOptions & ExternalAgentOptions

export interface CrossReview extends MergedReview, Omit<ReviewRounds, 'opinions'> {
  readonly reviewers: readonly string[]
}

const maxSubjectLength = 100_000
const maxReviewers = 5
const defaultReviewers = 3
const maxRounds = 3
/** What is left of the call's time to merge and return the opinions. */
const maxReturnMs = 5_000
const returnShare = 0.05
const graceMs = 500

/** `cross_review_with_external_agents`: several agents review the same thing, see each other's findings, and give one verdict. */
export function crossReviewTool(options: CrossReviewOptions): Tool<never, CrossReview> {
  const external = new Map(options.externalAgents.map((agent) => [agent.name, agent]))
  const agentFiles = new Map(options.agents.map((agent) => [agent.name, agent]))
  const names = [...new Set([...external.keys(), inlineAgent, ...agentFiles.keys()])]
  const reviewerOf = (name: string, context: ToolContext): Reviewer => {
    const agent = external.get(name)
    const show = linePrefix(name, (text) => context.output(text))
    if (agent !== undefined) return externalReviewer(agent, options.workspace.root, show, context)
    return subagentReviewer(name, agentFiles.get(name), options, show, context)
  }
  return defineToolFrom(
    {
      name: 'cross_review_with_external_agents',
      title: 'Cross review',
      description: 'Let several agents review the same thing in parallel and return one merged verdict.',
      usage:
        "Use it for changes or decisions where a mistake is expensive. Not for a quick second opinion: use 'invoke_external_agent'. Not to make changes: reviewers may only read. " +
        'Each reviewer sees the findings of the others in the next round, and it ends early if they agree. Returns the verdict (approve or revise), the votes and the findings by severity; reviewers that failed are listed and do not count. It is an error only if all of them fail.',
      parameters: objectSchema(['subject'], {
        subject: described(
          { type: 'string', minLength: 1, maxLength: maxSubjectLength },
          'What to review and what to look for: a diff, a text, or the paths of files in the workspace.',
        ),
        reviewers: {
          type: 'array',
          items: { type: 'string', enum: names },
          uniqueItems: true,
          maxItems: maxReviewers,
          default: [],
          description: `Who reviews: programs or subagents (${inlineAgent}: one of your own model); empty for up to ${defaultReviewers} installed programs.`,
        },
        rounds: described(
          { type: 'integer', minimum: 1, maximum: maxRounds, default: 2 },
          'The maximum number of rounds.',
        ),
      }),
      readOnly: false,
      destructive: false,
      idempotent: false,
      openWorld: true,
      resources: () => [],
      maxConcurrent: 1,
      async execute({ subject, reviewers, rounds }, context) {
        const chosen = reviewers.length > 0 ? reviewers : chooseReviewers(options.externalAgents)
        const returnMs = Math.min(maxReturnMs, context.deadline.remainingMs * returnShare)
        const done = await runReviewRounds({
          subject,
          reviewers: chosen.map((name) => reviewerOf(name, context)),
          maxRounds: rounds,
          signal: context.signal,
          remainingMs: () => context.deadline.remainingMs - returnMs,
          onRound: (round, active) => {
            context.output(`Round ${round}: ${active.join(', ')}\n`)
            context.progress({ current: round, total: rounds, message: `round ${round}` })
          },
        })
        if (done.opinions.length === 0) throw allFailed(done)
        const { opinions, ...rest } = done
        return { ...mergeOpinions(opinions), ...rest, reviewers: opinions.map(({ reviewer }) => reviewer) }
      },
    },
    { adapter: 'cross-review', graceMs, textOf: (value) => showReview(value as CrossReview) },
  )
}

/** Installed programs; with less than two, also a subagent. */
function chooseReviewers(agents: readonly ExternalAgent[]): readonly string[] {
  const installed = agents.filter(({ command }) => isInstalled(command[0])).map(({ name }) => name)
  const chosen = installed.slice(0, defaultReviewers)
  return chosen.length < 2 ? [...chosen, inlineAgent] : chosen
}

function isInstalled(program: string): boolean {
  try {
    checkCommand(program, undefined, process.env.PATH)
    return true
  } catch {
    return false
  }
}

function externalReviewer(
  agent: ExternalAgent,
  cwd: string,
  show: (text: string) => void,
  context: ToolContext,
): Reviewer {
  return {
    name: agent.name,
    review: async (prompt, limitMs) => {
      const report = await runExternalAgent({ agent, prompt, access: 'read', cwd, limitMs, show }, context)
      show('\n')
      return report.answer
    },
  }
}

function subagentReviewer(
  name: string,
  agent: AgentFile | undefined,
  options: SubagentOptions,
  show: (text: string) => void,
  context: ToolContext,
): Reviewer {
  return {
    name,
    review: async (prompt, limitMs) => {
      const report = await runChild(
        options,
        {
          name,
          prompt,
          instructions: agent?.instructions ?? 'You are a careful reviewer.',
          tools: agent?.tools == null ? [] : [agent.tools],
          model: agent?.model ?? null,
          mode: 'plan',
          limitMs,
          show,
        },
        context,
      )
      show('\n')
      if (report.answer !== '') return report.answer
      throw new Error(
        `gave no answer (${report.ended}${report.message === null ? '' : `: ${report.message}`})`,
      )
    },
  }
}

function allFailed({ failures }: ReviewRounds): CurfewError {
  const lines = failures.map(({ reviewer, message }) => `${reviewer}: ${message}`)
  return new CurfewError('TOOL_FAILED', `no reviewer gave an opinion.\n${lines.join('\n')}`, {
    hadNoEffect: true,
  })
}

function showReview({ verdict, votes, findings, failures, rounds, agreed, reviewers }: CrossReview): string {
  const counted = `${votes.approve} approve, ${votes.revise} revise`
  const lines = findings.map(
    (finding) => `${showFinding(finding)}\n  Reported by ${finding.reviewers.join(', ')}.`,
  )
  const end = agreed ? 'they agree' : 'they do not agree'
  return [
    `Verdict: ${verdict} (${counted}; ${reviewers.join(', ')}; ${rounds} ${rounds === 1 ? 'round' : 'rounds'}, ${end})`,
    lines.length === 0 ? 'No findings.' : `Findings:\n${lines.join('\n')}`,
    ...failures.map(({ reviewer, round, message }) => `${reviewer} failed in round ${round}: ${message}`),
  ].join('\n\n')
}
