import { createRuntime, defineTool, type ToolContext } from '@curfew/core'
import { CurfewProvider, useCall, useCallUids } from '@curfew/react'
import { Box, render, Text } from 'ink'
import { createElement, memo, type ReactNode } from 'react'
import { serve } from '../side.ts'
import { type ChunkTasks, listedCalls, MeasuredScreen } from './measured-screen.ts'

const screen = new MeasuredScreen()
const outputs: ToolContext['output'][] = []
const runtime = createRuntime({ toolCallTimeout: '1h', concurrency: listedCalls })
runtime.register(
  defineTool({
    name: 'hold',
    description: 'Run until the end.',
    parameters: { type: 'object', properties: { i: { type: 'number' } } },
    readOnly: true,
    concurrent: true,
    execute: (_params, { output }) => new Promise<void>(() => outputs.push(output)),
  }),
)

const Row = memo(({ uid }: { readonly uid: number }): ReactNode => {
  const { status, name, outputTail } = useCall(uid)!
  const end = outputTail.trimEnd()
  const line = end.slice(end.lastIndexOf('\n') + 1)
  screen.rowRendered(line)
  return createElement(Text, { wrap: 'truncate' }, `${status} ${name} ${line}`)
})

function List(): ReactNode {
  const rows = useCallUids().map((uid) => createElement(Row, { key: uid, uid }))
  return createElement(Box, { flexDirection: 'column' }, rows)
}

render(createElement(CurfewProvider, { runtime }, createElement(List)), {
  stdout: screen.stdout,
  stdin: screen.stdin,
  onRender: screen.onRender,
  exitOnCtrlC: false,
  patchConsole: false,
  interactive: true,
  incrementalRendering: true,
})
const calls = Array.from({ length: listedCalls }, (_, i) => ({
  id: `call-${i}`,
  name: 'hold',
  params: { i },
}))
void runtime.execute(calls)
while (outputs.length < listedCalls) await new Promise((resolve) => setImmediate(resolve))

serve<ChunkTasks>(screen.tasks((line) => outputs.at(-1)!(`${line}\n`)))
