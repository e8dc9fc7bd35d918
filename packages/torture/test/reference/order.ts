import { isMutant } from './mutation.ts'

export interface Access {
  readonly readOnly: boolean
  /** `null` if that is unknown. */
  readonly resources: readonly string[] | null
}

export interface Place {
  /** Settles when no earlier call conflicts. */
  readonly turn: Promise<unknown>
  leave(): void
}

interface Entered {
  readonly access: Access
  readonly left: Promise<void>
}

/** Calls that conflict run one after the other, in the order in which they entered. */
export class Order {
  readonly #entered = new Set<Entered>()

  enter(access: Access): Place {
    const { promise: left, resolve } = Promise.withResolvers<void>()
    const earlier = [...this.#entered].filter((one) => conflict(one.access, access))
    const entered: Entered = { access, left }
    this.#entered.add(entered)
    return {
      turn: isLate(access)
        ? new Promise((ready) => setTimeout(ready, 400))
        : Promise.all(earlier.map((one) => one.left)),
      leave: () => {
        this.#entered.delete(entered)
        resolve()
      },
    }
  }
}

function conflict(first: Access, second: Access): boolean {
  if (isMutant('all-at-once', 'writes-first')) return false
  if (isMutant('one-at-a-time')) return true
  const [a, b] = [first.resources, second.resources]
  if (a === null || b === null) return a?.length !== 0 && b?.length !== 0
  return !(first.readOnly && second.readOnly) && a.some((resource) => b.includes(resource))
}

/** Reads wait for all writes. */
function isLate({ readOnly, resources }: Access): boolean {
  return isMutant('writes-first') && readOnly && resources?.length !== 0
}
