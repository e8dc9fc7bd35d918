import { tmpdir } from 'node:os'
import { askUserTool, commandTools, createWorkspace, todoTool } from '@curfew/agent/tools'
import { createRuntime } from '@curfew/core'
import { fromTool, reviewTools } from '@curfew/review'
import { expect, test } from 'vitest'

test.each(['none', 'workspace-offline'] as const)(
  'the tools for commands and people have no findings and grade A (sandbox: %s)',
  async (sandbox) => {
    await using runtime = createRuntime()
    const commands = commandTools(createWorkspace({ root: tmpdir() }), { runtime, sandbox })
    const tools = [...commands, askUserTool, todoTool(runtime).tool]
    const { tools: reviewed } = reviewTools(tools.map((tool) => fromTool(tool)))
    expect(reviewed.map(({ name }) => name)).toEqual([
      'run_command',
      'read_output',
      'stop_command',
      'ask_user',
      'write_todos',
    ])
    const shown = reviewed.map(({ name, grade, findings }) => ({ name, grade, findings }))
    expect(shown.filter(({ grade, findings }) => grade !== 'A' || findings.length > 0)).toEqual([])
  },
)
