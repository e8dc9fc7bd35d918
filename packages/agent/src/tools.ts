/** `@curfew/agent/tools`: what an agent works with. */
export type { Checkpoint, UncoveredPath } from './checkpoints/checkpoint.ts'
export {
  type CheckpointHost,
  type CheckpointHostOptions,
  createCheckpointHost,
} from './checkpoints/create-checkpoint-host.ts'
export {
  type CheckpointOptions,
  type CheckpointRequest,
  type Checkpoints,
  createCheckpoints,
  type RestorePlan,
  type RestoreReport,
} from './checkpoints/create-checkpoints.ts'
export { removeOldCheckpoints } from './checkpoints/remove-old-checkpoints.ts'
export { createWorkspace, type WorkspaceOptions } from './workspace/create-workspace.ts'
export type { FileLocation, Workspace } from './workspace/workspace.ts'
