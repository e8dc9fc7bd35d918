import { randomUUID } from 'node:crypto'
import type { Agent, Session } from '@curfew/agent'
import {
  type CheckpointHost,
  type Checkpoints,
  createCheckpointHost,
  createCheckpoints,
  removeOldCheckpoints,
  type Workspace,
} from '@curfew/agent/tools'
import type { Runtime } from '@curfew/core'
import { stateHome } from '../state-home.ts'

export interface OpenedCheckpoints {
  readonly checkpoints: Checkpoints
  readonly workspace: Workspace
  readonly conversation: string
}

/** The checkpoints of the workspace. */
export function openCheckpoints({
  workspace,
  session,
  notify,
}: {
  readonly workspace: Workspace
  readonly session: Session | null
  readonly notify: (message: string) => void
}): OpenedCheckpoints {
  const conversation = session?.id ?? randomUUID()
  const checkpoints = createCheckpoints({
    root: workspace.root,
    folder: stateHome(),
    conversation,
    isSecret: (path) => workspace.secretPattern(path) !== null,
    onNotice: notify,
  })
  void removeOldCheckpoints({ folder: stateHome() }).catch(() => {})
  return { checkpoints, workspace, conversation }
}

/** `/restore`. */
export function checkpointHost(
  { checkpoints, workspace, conversation }: OpenedCheckpoints,
  agent: Agent,
  runtime: Runtime,
): CheckpointHost {
  const { root, folders } = workspace
  const otherFolders = folders.filter((folder) => folder !== root && !folder.startsWith(`${root}/`))
  return createCheckpointHost({ checkpoints, agent, runtime, conversation, otherFolders })
}
