import { createAgent } from '@curfew/agent'
import { createRuntime, defineTool } from '@curfew/core'
import { CurfewProvider, submissionStatus, useConversation } from '@curfew/react'
import { Text } from 'ink'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { scriptedModel } from '../../agent/test/support/scripted-model.ts'
import { renderInTerminal, settle } from './support/render-in-terminal.ts'

function setUp() {
  const runtime = createRuntime({ approval: 'allow', log: () => {} })
  let release = (): void => {}
  runtime.register(
    defineTool({
      name: 'wait',
      description: 'Wait until it is released.',
      execute: () =>
        new Promise<string>((resolve) => {
          release = () => resolve('released')
        }),
    }),
  )
  const model = scriptedModel([
    { text: ['Let me ', 'wait.'], calls: [{ name: 'wait' }] },
    { text: Array.from({ length: 500 }, (_, index) => `${index} `), stall: true },
  ])
  const agent = createAgent({ model, runtime })
  return { runtime, agent, release: () => release() }
}

test('the conversation is rendered, and a selection only when it changes', async () => {
  const { runtime, agent, release } = setUp()
  const renders = { all: 0, items: 0, status: 0 }
  const statuses: string[] = []
  const Conversation = (): ReactNode => {
    renders.all++
    const { items, streamingState, pending, queued, model } = useConversation()
    const types = items.map(({ type }) => type).join()
    return (
      <Text>{`${model} ${streamingState} [${types}] ${queued.length} ${pending?.text.length ?? 'no text'}`}</Text>
    )
  }
  const Items = (): ReactNode => {
    renders.items++
    return <Text>{useConversation((conversation) => conversation.items).length}</Text>
  }
  const Status = (): ReactNode => {
    renders.status++
    const status = useConversation(submissionStatus)
    statuses.push(status)
    return <Text>{status}</Text>
  }
  const terminal = renderInTerminal(
    <CurfewProvider runtime={runtime} agent={agent}>
      <Conversation />
      <Items />
      <Status />
    </CurfewProvider>,
  )
  expect(terminal.frame()).toBe('test:scripted idle [] 0 no text\n0\nanswered')
  const turn = (async () => {
    for await (const _event of agent.send('Go.'));
  })()
  await until(() => terminal.frame() === 'test:scripted responding [user,assistant] 0 no text\n2\nanswered')
  release()
  const length = Array.from({ length: 500 }, (_, index) => `${index} `).join('').length
  await until(() =>
    terminal.frame().startsWith(`test:scripted responding [user,assistant,results] 0 ${length}`),
  )
  expect(terminal.frame()).toContain('\n3\nsubmitted')
  // Each prompt and each result is submitted once; the text of the response changes neither.
  expect(renders.items).toBeLessThanOrEqual(4)
  expect(renders.status).toBe(statuses.length)
  expect(statuses.filter((status, index) => status !== statuses[index - 1])).toEqual(statuses)
  expect(statuses.at(-1)).toBe('submitted')
  agent.cancel()
  await turn
  await until(() => terminal.frame().includes(' idle '))
  const before = { ...renders }
  await settle()
  expect(renders).toEqual(before)
  await agent.close()
  await runtime.close()
})

test('unmounting leaves no listener on the agent', async () => {
  const { runtime, agent } = setUp()
  let listeners = 0
  const source = {
    getSnapshot: () => agent.getSnapshot(),
    subscribe(listener: () => void) {
      listeners++
      const unsubscribe = agent.subscribe(listener)
      return () => {
        listeners--
        unsubscribe()
      }
    },
  }
  // An inline selector that returns a new object every time neither loops nor subscribes again.
  const Summary = (): ReactNode => {
    const { count } = useConversation(({ items }) => ({ count: items.length }))
    return <Text>{count}</Text>
  }
  const show = (): ReactNode => (
    <CurfewProvider runtime={runtime} agent={source}>
      <Summary />
    </CurfewProvider>
  )
  const terminal = renderInTerminal(show())
  agent.addParts([{ type: 'text', text: 'Hello.' }])
  await until(() => terminal.frame() === '1')
  terminal.rerender(show())
  expect(listeners).toBe(1)
  terminal.unmount()
  await settle()
  expect(listeners).toBe(0)
  await agent.close()
  await runtime.close()
})
