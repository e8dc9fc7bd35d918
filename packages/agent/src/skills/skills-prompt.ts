import { copySlice } from '@curfew/core/internal'
import type { Skill } from './load-skills.ts'

const maxLength = 12_000
const maxDescriptionLength = 500

/** The part of the system prompt that lists the skills; empty if there are none. */
export function skillsPrompt(skills: readonly Skill[]): string {
  if (skills.length === 0) return ''
  const lines: string[] = [
    'Skills are instructions for certain tasks. Before you work on a task that one of them describes, load it with load_skill.',
  ]
  let length = 0
  for (const [index, { name, description }] of skills.entries()) {
    const isLong = description.length > maxDescriptionLength
    const line = `- ${name}: ${isLong ? `${copySlice(description, 0, maxDescriptionLength)}...` : description}`
    length += line.length
    if (length > maxLength) {
      lines.push(`[${skills.length - index} more skills are not listed.]`)
      break
    }
    lines.push(line)
  }
  return lines.join('\n')
}
