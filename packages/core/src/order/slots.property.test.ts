import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { SlotGroup, Slots } from './slots.ts'

interface Waiter {
  readonly group: number
  readonly number: number
  cancelled: boolean
}

const groups = 3

/** Requests, releases and cancels at random, and checks after each step that no slot is lost, invented or withheld. */
class Model {
  readonly limit: number
  readonly slots: Slots<Waiter>
  readonly slotGroups = Array.from({ length: groups }, () => new SlotGroup())
  readonly running: Waiter[] = []
  readonly waiting: Waiter[] = []
  #count = 0

  constructor(limit: number) {
    this.limit = limit
    this.slots = new Slots<Waiter>(createFakeClock(), limit, undefined, {
      start: (waiter) => {
        if (waiter.cancelled) return false
        // Within a group, calls start in order.
        expect(this.#of(this.waiting, waiter.group).find((other) => !other.cancelled)).toBe(waiter)
        this.waiting.splice(this.waiting.indexOf(waiter), 1)
        this.running.push(waiter)
        return true
      },
      expire: () => expect.unreachable(),
    })
  }

  request(group: number): void {
    const waiter: Waiter = { group, number: this.#count++, cancelled: false }
    this.waiting.push(waiter)
    this.slots.request(waiter, this.slotGroups[group]!)
  }

  release(index: number): void {
    const [waiter] = this.running.splice(index % Math.max(1, this.running.length), 1)
    if (waiter !== undefined) this.slots.release(this.slotGroups[waiter.group]!)
  }

  cancel(index: number): void {
    const [waiter] = this.waiting.splice(index % Math.max(1, this.waiting.length), 1)
    if (waiter !== undefined) waiter.cancelled = true
  }

  check(): void {
    const active = this.slotGroups.filter(({ running, waiting }) => running > 0 || waiting.size > 0).length
    const share = Math.max(1, Math.floor(this.limit / Math.max(1, active)))
    for (const [group, { running }] of this.slotGroups.entries()) {
      expect(running).toBe(this.#of(this.running, group).length)
      // A group that waits has its share.
      if (this.#of(this.waiting, group).length > 0) expect(running).toBeGreaterThanOrEqual(share)
    }
    if (this.waiting.length > 0) expect(this.running.length).toBeGreaterThanOrEqual(this.limit)
    // Beyond the limit, only shares are granted.
    expect(this.running.length).toBeLessThanOrEqual(this.limit + (groups - 1) * this.limit)
  }

  /** All slots are free again, and no more than there are. */
  finish(): void {
    while (this.running.length > 0) this.release(0)
    expect(this.waiting).toEqual([])
    for (let call = 0; call < 2 * this.limit; call++) this.request(0)
    expect(this.running).toHaveLength(this.limit)
    // Another group gets its share, and not more.
    for (let call = 0; call < 2 * this.limit; call++) this.request(1)
    expect(this.#of(this.running, 1)).toHaveLength(Math.max(1, Math.floor(this.limit / 2)))
  }

  #of(waiters: readonly Waiter[], group: number): Waiter[] {
    return waiters.filter((waiter) => waiter.group === group)
  }
}

const action = fc.record({
  do: fc.constantFrom('request', 'request', 'request', 'release', 'release', 'cancel', 'cancel'),
  of: fc.nat(30),
})

const sequence = fc.array(action, { minLength: 20, maxLength: 60, size: 'max' })

test('slots are neither lost nor invented, and groups get their share in order', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), sequence, (limit, actions) => {
      const model = new Model(limit)
      for (const next of actions) {
        if (next.do === 'request') model.request(next.of % groups)
        else if (next.do === 'release') model.release(next.of)
        else model.cancel(next.of)
        model.check()
      }
      model.finish()
    }),
    { numRuns: 400 },
  )
})
