import { createRuntime } from '@curfew/core'
import { type CallRow, createMirror } from '@curfew/core/rows'
import { createFakeClock, type Step, scriptedTool } from '@curfew/core/testing'
import {
  type CallSource,
  CurfewProvider,
  useCall,
  useCallOutput,
  useCalls,
  useCallUids,
  useQuestions,
} from '@curfew/react'
import fc from 'fast-check'
import { Box, Text } from 'ink'
import { memo, type ReactNode } from 'react'
import { expect, test } from 'vitest'
import { scaled } from '../../../test/support/scaled.ts'
import { change } from './support/change-rows.ts'
import { countedSource } from './support/counted-source.ts'
import { renderInTerminal, settle } from './support/render-in-terminal.ts'
import { rowOf } from './support/row-of.ts'

const uid = fc.nat(7)
const row = fc.record({
  uid,
  status: fc.constantFrom('scheduled', 'executing', 'success'),
  output: fc.nat(30),
})
type GeneratedRow = typeof row extends fc.Arbitrary<infer T> ? T : never

const interlude = fc.record({
  kind: fc.constantFrom('compare' as const, 'toggle' as const, 'remount' as const),
})

const mirrorSteps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('apply' as const),
      changed: fc.uniqueArray(row, { maxLength: 4, selector: (generated) => generated.uid }),
      removed: fc.array(uid, { maxLength: 2 }),
    }),
    fc.record({ kind: fc.constant('reset' as const), changed: fc.array(row, { maxLength: 6 }) }),
    interlude,
  ),
  { maxLength: 30 },
)

const runtimeSteps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('execute' as const),
      calls: fc.integer({ min: 1, max: 3 }),
      tool: fc.constantFrom('quick', 'chatty', 'curious', 'unknown'),
    }),
    fc.record({ kind: fc.constant('advance' as const), ms: fc.nat(40) }),
    fc.record({ kind: fc.constant('cancel' as const), id: fc.nat(5) }),
    fc.record({ kind: fc.constant('answer' as const) }),
    interlude,
  ),
  { maxLength: 30 },
)

const toRow = ({ uid, status, output }: GeneratedRow): CallRow =>
  rowOf(uid, {
    status: status as CallRow['status'],
    outputTail: 'o'.repeat(output),
    outputLength: output + 100,
  })

const describeRow = (uid: number, call: CallRow | undefined): string =>
  call === undefined ? `${uid} unknown` : `${call.uid} ${call.status} ${call.outputLength}`

const Row = memo(({ uid }: { readonly uid: number }): ReactNode => {
  const call = useCall(uid)
  const output = useCallOutput(uid)
  return <Text>{`${describeRow(uid, call)} ${output?.text.length ?? 'none'}`}</Text>
})

const fixedUids = [0, 3, 6]
const isExecuting = ({ status }: CallRow): boolean => status === 'executing'

/** All calls, a fixed set of rows that may be unknown, and numbers. */
const App = memo(({ isOpen }: { readonly isOpen: boolean }): ReactNode => {
  const uids = useCallUids()
  return (
    <Box flexDirection="column">
      <Text>{`${useCalls().length} [${useCallUids(isExecuting).join()}] ${useQuestions().length}`}</Text>
      {uids.map((uid) => (
        <Row key={uid} uid={uid} />
      ))}
      {isOpen && fixedUids.map((uid) => <Row key={`fixed-${uid}`} uid={uid} />)}
    </Box>
  )
})

const runs = scaled(100)

/** Renders a source and compares what is shown with its snapshot; `textLength` is that of `useCallOutput`. */
function show(runtime: CallSource, textLength: (row: CallRow) => number) {
  const source = countedSource(runtime)
  let isOpen = false
  let key = 0
  const app = (): ReactNode => (
    <CurfewProvider runtime={source} key={key}>
      <App isOpen={isOpen} />
    </CurfewProvider>
  )
  const terminal = renderInTerminal(app())
  return {
    /** Opens or closes the rows that may be unknown, or mounts everything again. */
    change(kind: 'toggle' | 'remount'): void {
      if (kind === 'toggle') isOpen = !isOpen
      else key++
      terminal.rerender(app())
    },
    async compare(): Promise<void> {
      await settle()
      const { calls, questions } = source.getSnapshot()
      const shown = [...calls.map(({ uid }) => uid), ...(isOpen ? fixedUids : [])].map((uid) => {
        const call = calls.find((candidate) => candidate.uid === uid)
        return `${describeRow(uid, call)} ${call === undefined ? 'none' : textLength(call)}`
      })
      const executing = calls.filter(isExecuting).map(({ uid }) => uid)
      const lines = terminal.frame().split('\n')
      expect(lines).toEqual([`${calls.length} [${executing.join()}] ${questions.length}`, ...shown])
    },
    async unmount(): Promise<void> {
      terminal.unmount()
      await settle()
      expect(source.listeners).toEqual({ all: 0, ofCalls: 0 })
    },
  }
}

test(`what is rendered equals the snapshot of a mirror, whatever happens (${runs} runs)`, async () => {
  await fc.assert(
    fc.asyncProperty(mirrorSteps, async (plan) => {
      const mirror = createMirror()
      mirror.reset({ revision: 0, calls: [], questions: [] })
      const shown = show(mirror, ({ outputTail }) => outputTail.length)
      for (const step of plan) {
        if (step.kind === 'apply') change(mirror, { changed: step.changed.map(toRow), removed: step.removed })
        else if (step.kind === 'reset') {
          const { revision } = mirror.getSnapshot()
          mirror.reset({ revision, calls: step.changed.map(toRow), questions: [] })
        } else if (step.kind === 'compare') await shown.compare()
        else shown.change(step.kind)
      }
      await shown.compare()
      await shown.unmount()
    }),
    { numRuns: runs },
  )
}, 300_000)

test(`what is rendered equals the snapshot of a runtime, whatever happens (${runs} runs)`, async () => {
  await fc.assert(
    fc.asyncProperty(runtimeSteps, async (plan) => {
      const clock = createFakeClock()
      const runtime = createRuntime({ clock, approval: 'allow', log: () => {} })
      const concurrent = { clock, concurrent: true } as const
      const chatty: Step[] = [{ output: 'ab' }, { wait: 20 }, { output: 'c' }, { progress: { current: 1 } }]
      runtime.register(
        scriptedTool({ ...concurrent, name: 'quick', script: [{ output: 'done' }] }),
        scriptedTool({ ...concurrent, name: 'chatty', script: [...chatty, { wait: 5 }] }),
        scriptedTool({ ...concurrent, name: 'curious', readOnly: true, script: [{ ask: 'Which?' }] }),
      )
      runtime.onQuestion(() => 'later')
      const shown = show(runtime, ({ outputLength }) => outputLength)
      /** Output is shown with the next frame, and more may be written in the meantime. */
      const compare = async (): Promise<void> => {
        for (let frame = 0; frame < 10; frame++) {
          await clock.advance(17)
          if (
            await shown.compare().then(
              () => true,
              () => false,
            )
          )
            return
        }
        await shown.compare()
      }
      let count = 0
      for (const step of plan) {
        if (step.kind === 'execute') {
          const calls = Array.from({ length: step.calls }, () => ({ id: `c${count++}`, name: step.tool }))
          void runtime.execute(calls)
        } else if (step.kind === 'advance') await clock.advance(step.ms)
        else if (step.kind === 'cancel') runtime.cancel(`c${step.id}`)
        else if (step.kind === 'answer') {
          const [question] = runtime.getSnapshot().questions
          if (question !== undefined) runtime.answer(question.id, { text: 'this' })
        } else if (step.kind === 'compare') {
          await compare()
        } else shown.change(step.kind)
      }
      await compare()
      await shown.unmount()
      await clock.runUntil(runtime.close())
      expect(clock.pending).toBe(0)
    }),
    { numRuns: runs },
  )
}, 300_000)
