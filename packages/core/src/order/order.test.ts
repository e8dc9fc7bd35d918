import fc from 'fast-check'
import { expect, test } from 'vitest'
import { touchesNothing, waitsInBatch, waitsOnOverlap } from './conflicts.ts'
import { finishNode, Order, type OrderNode, waitTable } from './order.ts'

class Node implements OrderNode {
  blockers = 0
  dependents: OrderNode[] | null = null
  finished = false
}

const classes = fc.array(fc.nat(touchesNothing), { maxLength: 30 })

test.each([
  ['in a batch', waitsInBatch],
  ['on one key', waitsOnOverlap],
])('a node is ready exactly when every earlier conflicting node has finished, %s', (_name, waits) => {
  fc.assert(
    fc.property(classes, fc.array(fc.nat(), { maxLength: 60 }), (kinds, picks) => {
      const order = new Order(waitTable(waits))
      const nodes = kinds.map((kind) => {
        const node = new Node()
        order.add(node, kind)
        return node
      })
      const isReady = (later: number): boolean =>
        kinds.every(
          (kind, earlier) => earlier >= later || nodes[earlier]!.finished || !waits(kind, kinds[later]!),
        )
      const check = (): void => {
        for (const [index, node] of nodes.entries()) expect(node.blockers === 0).toBe(isReady(index))
      }
      check()
      for (const pick of picks) {
        const ready = nodes.filter((node) => !node.finished && node.blockers === 0)
        if (ready.length === 0) break
        finishNode(ready[pick % ready.length]!, () => {})
        check()
      }
    }),
    { numRuns: 2_000 },
  )
})

test('n nodes that wait for m others need n + m edges, not n x m', () => {
  const order = new Order(waitTable(waitsInBatch))
  const readers = Array.from({ length: 2_000 }, () => new Node())
  const keyedWriters = Array.from({ length: 2_000 }, () => new Node())
  for (const node of readers) order.add(node, 2 | 4)
  for (const node of keyedWriters) order.add(node, 1)
  const edges = readers.reduce((sum, node) => sum + (node.dependents?.length ?? 0), 0)
  expect(edges).toBe(2_000)
  expect(keyedWriters.every(({ blockers }) => blockers === 1)).toBe(true)
  for (const node of readers) finishNode(node, () => {})
  expect(keyedWriters.every(({ blockers }) => blockers === 0)).toBe(true)
})
