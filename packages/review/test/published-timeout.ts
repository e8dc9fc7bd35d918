import { reviewedTool } from './reviewed-tool.ts'

/** The `timeout` tool of a public directory, which scored it Behaviour 1, Conciseness 5, Completeness 4, Parameters 3, Purpose 5, Usage 5. */
export const publishedTimeout: ReturnType<typeof reviewedTool> = reviewedTool({
  name: 'timeout',
  description:
    'Run a command with a bounded time limit, automatically terminating it if it exceeds the duration. ' +
    'Captures stdout/stderr up to max_output_bytes. Returns JSON with command output and whether it timed out. ' +
    'Use to prevent runaway commands from blocking agent workflows. ' +
    "Not for introducing delays — use 'sleep' to pause. Not for CPU priority — use 'nice'. See also 'sleep', 'nice'.",
  properties: {
    command_args: { type: 'string', description: 'Command and arguments to run.' },
    dry_run: { type: 'boolean', description: 'Report without running the command.' },
    max_output_bytes: { type: 'integer', description: 'Maximum captured stdout/stderr bytes each.' },
    seconds: { type: 'number', description: 'Timeout in seconds.' },
  },
  required: ['seconds'],
  annotations: { readOnlyHint: true },
})
