import { createRequire } from 'node:module'
import { CurfewError } from '@curfew/core'
import type * as api from '@opentelemetry/api'

export type Api = typeof api
const require = createRequire(import.meta.url)

/** `@opentelemetry/api` is an optional peer dependency: only programs that trace need it. Throws `INVALID_OPTION` if it is not installed. */
export function loadApi(): Api {
  try {
    return require('@opentelemetry/api') as Api
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') throw error
    throw new CurfewError(
      'INVALID_OPTION',
      '@curfew/journal/telemetry requires @opentelemetry/api, which is not installed; run: npm install @opentelemetry/api',
      { cause: error },
    )
  }
}
