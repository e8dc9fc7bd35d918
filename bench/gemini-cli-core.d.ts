/** Only the part that the benches use, so that types can be checked without installing it. */
declare module '@google/gemini-cli-core' {
  export interface MessageBus {
    subscribe(type: string, listener: () => void): void
  }

  export class Config {
    constructor(parameters: object)
    readonly toolRegistry: { registerTool(tool: BaseDeclarativeTool): void }
    initialize(): Promise<void>
    getMessageBus(): MessageBus
  }

  export interface ToolCallRequest {
    readonly callId: string
    readonly name: string
    readonly args: object
    readonly isClientInitiated: boolean
    readonly prompt_id: string
  }

  export class Scheduler {
    constructor(options: {
      context: Config
      messageBus: MessageBus
      getPreferredEditor: () => undefined
      schedulerId: string
    })
    schedule(
      requests: ToolCallRequest | ToolCallRequest[],
      signal: AbortSignal,
    ): Promise<{ status: string; response: { error?: Error } }[]>
    dispose(): void
  }

  export interface ToolResult {
    readonly llmContent: string
    readonly returnDisplay: string
  }

  export abstract class BaseToolInvocation {
    constructor(params: object, bus: MessageBus, name: string, displayName: string)
    abstract getDescription(): string
    abstract execute(options: { updateOutput: (output: string) => void }): Promise<ToolResult>
  }

  export abstract class BaseDeclarativeTool {
    constructor(
      name: string,
      displayName: string,
      description: string,
      kind: string,
      schema: object,
      bus: MessageBus,
      isOutputMarkdown?: boolean,
      canUpdateOutput?: boolean,
    )
    readonly name: string
    protected readonly messageBus: MessageBus
    getSchema(): object
    protected abstract createInvocation(params: object, bus?: MessageBus): BaseToolInvocation
  }

  export const Kind: { readonly Other: string }
  export const ApprovalMode: { readonly YOLO: string }
  export const MessageBusType: { readonly TOOL_CALLS_UPDATE: string }
  export function createPolicyEngineConfig(settings: object, mode: string): Promise<object>
}
