import { crashCases } from './crash-cases.ts'
import { endingCases } from './ending-cases.ts'
import { mistakeCases } from './mistakes-cases.ts'
import { orderCases } from './order-cases.ts'
import { outputCases } from './output-cases.ts'
import { processCases } from './processes-cases.ts'
import { remoteCases } from './remote-cases.ts'
import { timeCases } from './time-cases.ts'
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
