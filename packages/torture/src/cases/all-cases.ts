import { crashCases } from './crash.ts'
import { endingCases } from './ending.ts'
import { mistakeCases } from './mistakes.ts'
import { orderCases } from './order.ts'
import { outputCases } from './output.ts'
import { processCases } from './processes.ts'
import { remoteCases } from './remote.ts'
import { timeCases } from './time.ts'
import type { TortureCase } from './torture-case.ts'

export const allCases: readonly TortureCase[] = [
  ...timeCases,
  ...endingCases,
  ...processCases,
  ...outputCases,
  ...orderCases,
  ...mistakeCases,
  ...remoteCases,
  ...crashCases,
]
