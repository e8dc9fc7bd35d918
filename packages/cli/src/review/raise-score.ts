import type { Dimension, ServerReview } from '@curfew/review'
import { count } from '../terminal.ts'
import type { ReportedSet, ReportedTool } from './review-source.ts'

const maxFixes = 3
/** What raises the score by less is not worth mentioning. */
const minGain = 0.05
/** A dimension of a tool that scores less needs work. */
const enough = 4
const fewTools = 10

/** The fixes that would raise the score of a server most, errors first, because they limit what the others achieve. */
export function fixesThatRaise({ server, tools }: ReportedSet): string[] {
  if (server === null) return []
  const gains = [...dimensionGains(tools), ...coherenceGains(server, tools.length)]
    .filter(({ gain }) => gain >= minGain)
    .sort((a, b) => b.gain - a.gain)
    .map(({ advice, where, gain }) => `${advice} (${where}, up to +${gain.toFixed(2)})`)
  return [...errorFixes(tools), ...gains].slice(0, maxFixes)
}

function errorFixes(tools: readonly ReportedTool[]): string[] {
  const fixes: string[] = []
  const capped = tools.filter(({ score }) => score.cappedBy !== null)
  if (capped.length > 0)
    fixes.push(`correct the annotations of ${count(capped.length, 'tool')} (false ones limit the grade to C)`)
  const capping = new Set(capped.map(({ score }) => score.cappedBy))
  const errors = tools
    .flatMap(({ findings }) => findings)
    .filter(({ severity, rule, known }) => severity === 'error' && !known && !capping.has(rule))
  const rules = [...new Set(errors.map(({ rule }) => rule))]
  if (errors.length > 0) {
    const listed = rules.length > 3 ? [...rules.slice(0, 3), `${rules.length - 3} more`] : rules
    fixes.push(
      `fix ${count(errors.length, `${fixes.length > 0 ? 'other ' : ''}error`)}: ${listed.join(', ')}`,
    )
  }
  return fixes
}

interface Gain {
  readonly advice: string
  readonly where: string
  /** The maximum increase of the server's score. */
  readonly gain: number
}

/** As in docs/review-score.md. A test verifies that they add up to the scores. */
export const weights: Readonly<Record<Dimension, number>> = {
  purpose: 0.25,
  usage: 0.2,
  behaviour: 0.2,
  parameters: 0.15,
  conciseness: 0.1,
  completeness: 0.1,
}
export const definitionWeight = 0.7
export const minWeight = 0.4

const advices: Readonly<Record<Dimension, readonly [several: string, one: string]>> = {
  purpose: ['say precisely what N tools do', 'say precisely what 1 tool does'],
  usage: ['say when to use N tools, and when not to', 'say when to use 1 tool, and when not to'],
  behaviour: [
    'state the effects, limits and failures of N tools',
    'state the effects, limits and failures of 1 tool',
  ],
  parameters: ['describe the parameters of N tools', 'describe the parameters of 1 tool'],
  conciseness: ['make N descriptions concise', 'make 1 description concise'],
  completeness: ['say what N tools return, and when they fail', 'say what 1 tool returns, and when it fails'],
}

function dimensionGains(tools: readonly ReportedTool[]): Gain[] {
  const worst = tools.reduce((a, b) => (b.score.overall < a.score.overall ? b : a))
  return (Object.keys(weights) as Dimension[]).flatMap((dimension) => {
    const scoreOf = ({ score }: ReportedTool): number => score.dimensions[dimension].score
    const lacking = tools.filter((tool) => scoreOf(tool) < enough).length
    if (lacking === 0) return []
    const mean = tools.reduce((sum, tool) => sum + scoreOf(tool), 0) / tools.length
    const gap = (1 - minWeight) * (5 - mean) + minWeight * (5 - scoreOf(worst))
    const [several, one] = advices[dimension]
    return {
      advice: lacking === 1 ? one : several.replace('N', String(lacking)),
      where: `${dimension} ${mean.toFixed(1)} of 5`,
      gain: definitionWeight * weights[dimension] * gap,
    }
  })
}

function coherenceGains({ coherence }: ServerReview, toolCount: number): Gain[] {
  const parts = [
    ['make similar tools easier to tell apart', 'disambiguation', coherence.disambiguation.score],
    ['name all tools in the same way', 'naming', coherence.naming.score],
    ['let agents read, change and remove what they can create', 'coverage', coherence.completeness.score],
    // Too few tools are no fault.
    ['offer fewer tools', 'tool count', toolCount > fewTools ? coherence.toolCount.score : 5],
  ] as const
  const scores = parts.map(([, , score]) => score)
  const combine = (values: readonly number[]): number =>
    ((1 - minWeight) * values.reduce((sum, value) => sum + value, 0)) / values.length +
    minWeight * Math.min(...values)
  return parts.map(([advice, name, score], index) => ({
    advice,
    where: `${name} ${score.toFixed(1)} of 5`,
    gain: (1 - definitionWeight) * (combine(scores.with(index, 5)) - combine(scores)),
  }))
}
