import { createMirror } from '@curfew/core/rows'
import { CurfewProvider, useCall, useCallOutput, useCallUids, useConversation } from '@curfew/react'
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { countedSource } from './support/counted-source.ts'
import { rowOf } from './support/row-of.ts'

const Row = ({ uid }: { readonly uid: number }): ReactNode => (
  <p>{`${useCall(uid)?.status}: ${useCallOutput(uid)?.text}`}</p>
)
const List = (): ReactNode => useCallUids().map((uid) => <Row key={uid} uid={uid} />)

test('renders on a server without subscribing', () => {
  const mirror = createMirror()
  const calls = [rowOf(1, { outputTail: 'one line', outputLength: 8 }), rowOf(2, { status: 'success' })]
  mirror.reset({ revision: 0, calls, questions: [] })
  const source = countedSource(mirror)
  const html = renderToString(
    <CurfewProvider runtime={source}>
      <List />
    </CurfewProvider>,
  )
  expect(html).toBe('<p>executing: one line</p><p>success: </p>')
  expect(source.listeners).toEqual({ all: 0, ofCalls: 0 })
})

test('an error states what is missing', () => {
  const Conversation = (): ReactNode => useConversation((conversation) => conversation.model)
  expect(() => renderToString(<List />)).toThrow('expected a <CurfewProvider> around this component')
  const withoutAgent = (
    <CurfewProvider runtime={createMirror()}>
      <Conversation />
    </CurfewProvider>
  )
  expect(() => renderToString(withoutAgent)).toThrow(
    'expected an agent, as in <CurfewProvider runtime={runtime} agent={agent}>',
  )
})
