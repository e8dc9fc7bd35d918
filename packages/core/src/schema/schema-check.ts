import type { ErrorObject } from 'ajv'

/** A compiled schema. It fills in defaults in place, and leaves the errors of its last run in `errors`. */
export interface SchemaCheck {
  (value: unknown): boolean
  errors?: readonly ErrorObject[] | null
}
