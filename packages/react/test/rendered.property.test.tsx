import { type CallRow, createMirror } from '@curfew/core/rows'
import { CurfewProvider, useCall, useCallOutput, useCalls, useCallUids, useQuestions } from '@curfew/react'
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

const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('apply' as const),
      changed: fc.uniqueArray(row, { maxLength: 4, selector: (generated) => generated.uid }),
      removed: fc.array(uid, { maxLength: 2 }),
    }),
    fc.record({ kind: fc.constant('reset' as const), changed: fc.array(row, { maxLength: 6 }) }),
    fc.record({ kind: fc.constantFrom('settle' as const, 'toggle' as const, 'remount' as const) }),
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
  call === undefined ? `${uid} unknown` : `${call.uid} ${call.status} ${call.outputLength - 100}`

const Row = memo(({ uid }: { readonly uid: number }): ReactNode => {
  const call = useCall(uid)
  const output = useCallOutput(uid)
  return <Text>{`${describeRow(uid, call)} ${output?.text.length ?? 'none'}`}</Text>
})

const isExecuting = ({ status }: CallRow): boolean => status === 'executing'

/** All calls, a fixed set of rows that may be unknown, and numbers. */
const App = memo(({ isOpen }: { readonly isOpen: boolean }): ReactNode => {
  const uids = useCallUids()
  return (
    <Box flexDirection="column">
      <Text>{`${useCalls().length} ${useCallUids(isExecuting).join()} ${useQuestions().length}`}</Text>
      {uids.map((uid) => (
        <Row key={uid} uid={uid} />
      ))}
      {isOpen && [0, 3, 6].map((uid) => <Row key={`fixed-${uid}`} uid={uid} />)}
    </Box>
  )
})

const runs = scaled(100)

test(`what is rendered equals the snapshot, whatever happens (${runs} runs)`, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (plan) => {
      const mirror = createMirror()
      mirror.reset({ revision: 0, calls: [], questions: [] })
      const source = countedSource(mirror)
      let isOpen = false
      let key = 0
      const app = (): ReactNode => (
        <CurfewProvider runtime={source} key={key}>
          <App isOpen={isOpen} />
        </CurfewProvider>
      )
      const terminal = renderInTerminal(app())
      const compare = async (): Promise<void> => {
        await settle()
        const { calls } = mirror.getSnapshot()
        const shown = [...calls.map(({ uid }) => uid), ...(isOpen ? [0, 3, 6] : [])].map((uid) => {
          const call = calls.find((candidate) => candidate.uid === uid)
          return `${describeRow(uid, call)} ${call?.outputTail.length ?? 'none'}`
        })
        const executing = calls.filter(isExecuting).map(({ uid }) => uid)
        expect(
          terminal
            .frame()
            .split('\n')
            .map((line) => line.trimEnd()),
        ).toEqual([`${calls.length} ${executing.join()} 0`, ...shown])
      }
      for (const step of plan) {
        if (step.kind === 'apply') change(mirror, { changed: step.changed.map(toRow), removed: step.removed })
        else if (step.kind === 'reset')
          mirror.reset({
            revision: mirror.getSnapshot().revision,
            calls: step.changed.map(toRow),
            questions: [],
          })
        else if (step.kind === 'settle') await compare()
        else {
          if (step.kind === 'toggle') isOpen = !isOpen
          else key++
          terminal.rerender(app())
        }
      }
      await compare()
      terminal.unmount()
      await settle()
      expect(source.listeners).toEqual({ all: 0, ofCalls: 0 })
    }),
    { numRuns: runs },
  )
}, 300_000)
