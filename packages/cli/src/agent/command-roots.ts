import type { loadUserCommands } from '@curfew/agent'
import type { ConfigRoots } from '@curfew/extensions'

/** Where the user's own commands and agents are. The user's first, so that a project cannot replace what the user means by a name. */
export function commandRoots({ user, project }: ConfigRoots): Parameters<typeof loadUserCommands>[0] {
  const own = { folder: user, source: 'user' as const }
  return project?.trusted ? [own, { folder: project.path, source: 'project' }] : [own]
}
