import { pathToFileURL } from 'node:url'
import type { Adapter, Settings } from '../adapter/adapter.ts'
import { allCases } from '../cases/all-cases.ts'
import type { TortureCase } from '../cases/torture-case.ts'
import type { Product } from '../trial/trial.ts'
import { describeMachine, type Machine } from './machine.ts'
import { type CaseRecord, runCase, type Verdict } from './run-case.ts'

export interface SuiteOptions {
  /** The adapter's file. */
  readonly adapter: string
  /** @default 'recommended' */
  readonly settings?: Settings
  /** A regular expression for the ids of cases. */
  readonly only?: RegExp | undefined
  /** How often each case runs; if its verdicts differ, it is flaky and not scored. @default 1 */
  readonly repeat?: number
  /** How many cases run at a time. @default 2 */
  readonly jobs?: number
  /** Called after each case. */
  readonly onResult?: (cell: Cell) => void
}

/** The verdict of one case. */
export interface Cell {
  readonly id: string
  readonly verdict: Verdict | 'flaky'
  readonly reason: string
  readonly records: readonly CaseRecord[]
}

export interface SuiteReport {
  readonly product: string
  readonly version: string
  readonly settings: Settings
  readonly suiteVersion: string
  readonly machine: Machine
  readonly date: string
  readonly seconds: number
  readonly cells: readonly Cell[]
}

/** Runs the cases against one product. */
export async function runSuite(options: SuiteOptions): Promise<SuiteReport> {
  const { settings = 'recommended', only = /./, repeat = 1, jobs = 2, onResult } = options
  const adapter = await loadAdapter(options.adapter)
  const product: Product = {
    adapter: options.adapter,
    settings,
    features: adapter.features,
    minLimitMs: adapter.minLimitMs?.(settings) ?? 0,
    commandCall: adapter.commandCall,
  }
  const selected = allCases.filter(({ id }) => only.test(id))
  const startMs = performance.now()
  const cells = new Map<string, Cell>()
  const run = async (one: TortureCase): Promise<void> => {
    const records: CaseRecord[] = []
    for (let round = 0; round < repeat; round++) records.push(await runCase(one, product))
    const cell = toCell(one.id, records)
    cells.set(one.id, cell)
    onResult?.(cell)
  }
  await inParallel(
    selected.filter(({ heavy }) => !heavy),
    jobs,
    run,
  )
  await inParallel(
    selected.filter(({ heavy }) => heavy),
    1,
    run,
  )
  return {
    product: adapter.name,
    version: await adapter.version(),
    settings,
    suiteVersion,
    machine: describeMachine(),
    date: new Date().toISOString(),
    seconds: Math.round((performance.now() - startMs) / 1_000),
    cells: selected.map(({ id }) => cells.get(id)!),
  }
}

const suiteVersion = '0.1.0'

async function loadAdapter(file: string): Promise<Adapter> {
  const { default: adapter } = (await import(pathToFileURL(file).href)) as { default?: Adapter }
  if (typeof adapter?.open !== 'function' || typeof adapter.features !== 'object')
    throw new Error(
      `${file}: expected a default export with name, version(), features and open(); see the README`,
    )
  return adapter
}

function toCell(id: string, records: readonly CaseRecord[]): Cell {
  const [first] = records
  const isFlaky = records.some(({ verdict }) => verdict !== first!.verdict)
  const reasons = [...new Set(records.map(({ reason }) => reason).filter(Boolean))]
  return { id, verdict: isFlaky ? 'flaky' : first!.verdict, reason: reasons.join('; '), records }
}

async function inParallel<T>(
  items: readonly T[],
  jobs: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next)
  }
  await Promise.all(Array.from({ length: jobs }, worker))
}
