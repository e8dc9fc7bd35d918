import type { Tool } from '@curfew/core'
import { type CrossReviewOptions, crossReviewTool } from './cross-review-tool.ts'
import { externalAgentTool } from './external-agent-tool.ts'
import { type ImageOptions, imageTool } from './image-tool.ts'
import { planTool } from './plan-tool.ts'
import { subagentTool } from './subagent-tool.ts'
import { type TranscribeOptions, transcribeTool } from './transcribe-tool.ts'

export interface DelegationOptions extends CrossReviewOptions {
  readonly workspace: ImageOptions['workspace']
  /** @default there is no `transcribe_media` */
  readonly transcriptionModel?: TranscribeOptions['transcriptionModel'] | undefined
  /** @default there is no `generate_image` */
  readonly imageModel?: ImageOptions['imageModel'] | undefined
}

/** The tools with which an agent lets other models and programs work: subagents, external agents, reviews, plans, media. */
export function delegationTools(options: DelegationOptions): readonly Tool[] {
  const { runtime, workspace, externalAgents, transcriptionModel, imageModel } = options
  return [
    subagentTool(options),
    ...(externalAgents.length === 0 ? [] : [externalAgentTool(options)]),
    crossReviewTool(options),
    planTool(options),
    ...(transcriptionModel === undefined ? [] : [transcribeTool({ runtime, workspace, transcriptionModel })]),
    ...(imageModel === undefined ? [] : [imageTool({ runtime, workspace, imageModel })]),
  ]
}
