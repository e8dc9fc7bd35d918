import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SkillRoot } from '@curfew/agent/tools'
import type { ConfigRoots } from '@curfew/extensions'
import { homeFolder } from '@curfew/extensions/internal'

const folders = [join('.agents', 'skills'), join('.curfew', 'skills')]

/** The user's first, so that a project cannot replace them. A project's skills are instructions that the model follows, so they require trust. */
export function skillRoots(
  { user, project, projectFolder }: ConfigRoots,
  notify: (message: string) => void,
  env: Readonly<NodeJS.ProcessEnv> = process.env,
): SkillRoot[] {
  const own = [{ folder: join(user, 'skills') }, { folder: join(homeFolder(env), '.agents', 'skills') }]
  const ofProject = folders.map((folder) => join(projectFolder, folder))
  if (project?.trusted || env.CURFEW_TRUST === '1')
    return [...own, ...ofProject.map((folder) => ({ folder, project: projectFolder }))]
  const ignored = ofProject.find((folder) => existsSync(folder) && folder !== own[1]!.folder)
  if (ignored !== undefined) {
    const first = project === null ? 'curfew init --project, then ' : ''
    notify(
      `warning: ${ignored} is ignored, because its skills are instructions for the model; review them, then run: ${first}curfew trust`,
    )
  }
  return own
}
