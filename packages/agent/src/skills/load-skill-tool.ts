import { CurfewError, type Tool } from '@curfew/core'
import { defineToolFrom, described, didYouMean, messageOf, objectSchema } from '@curfew/core/internal'
import { readFrontMatter } from '../commands/front-matter.ts'
import { visibleText } from '../memory/visible-text.ts'
import { listSkillFiles } from './list-skill-files.ts'
import { readSkillFile, type Skill } from './load-skills.ts'

/** Returns the instructions of a skill. Only `skills` can be loaded, so a name is never a path. */
export function loadSkillTool(skills: readonly Skill[]): Tool {
  const byName = new Map(skills.map((skill) => [skill.name, skill]))
  return defineToolFrom(
    {
      name: 'load_skill',
      title: 'Load a skill',
      description: 'Read the instructions of a skill and list the files in its folder.',
      usage:
        'Use it before a task that the description of a skill matches. Not for files of the project, and not twice for the same skill. ' +
        "Returns the text of the skill's SKILL.md and the paths of its other files; fails if there is no such skill.",
      parameters: objectSchema(['name'], {
        name: described(
          { type: 'string', minLength: 1, maxLength: 64 },
          'The name of the skill, as it is listed.',
        ),
      }),
      readOnly: true,
      concurrent: true,
      openWorld: false,
      resources: () => [],
      execute({ name }) {
        const skill = byName.get(name)
        if (skill === undefined) {
          const hint = didYouMean(name, byName.keys()) || `there are: ${[...byName.keys()].join(', ')}`
          throw new CurfewError(
            'INVALID_PARAMS',
            `name: there is no skill ${JSON.stringify(name)}; ${hint}`,
            { field: 'params.name' },
          )
        }
        return describe(skill)
      },
    },
    { adapter: 'builtin' },
  ) as Tool
}

function describe(skill: Skill): string {
  try {
    const content = readSkillFile(skill)
    if (content === null) throw new Error('its SKILL.md was removed')
    const { body } = readFrontMatter(content.text)
    const { files, isCut } = listSkillFiles(skill.folder)
    const list = files.length === 0 ? ['none'] : files.map((file) => `- ${file}`)
    return [
      `Skill ${skill.name}, in the folder ${skill.folder}`,
      `Other files in it:${isCut ? ' (not all of them are listed)' : ''}`,
      ...list,
      '',
      visibleText(body).trim(),
    ].join('\n')
  } catch (error) {
    const message = `load_skill: ${skill.name} cannot be read: ${messageOf(error)}`
    throw new CurfewError('TOOL_FAILED', message, { hadNoEffect: true, fault: 'none', cause: error })
  }
}
