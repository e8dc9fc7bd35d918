/** The JSON Schema of an object with these properties and no others. The names of the required ones come first. */
export function objectSchema<
  const P extends Readonly<Record<string, unknown>>,
  const R extends keyof P & string,
>(
  required: readonly R[],
  properties: P,
): {
  readonly type: 'object'
  readonly properties: P
  readonly required: readonly R[]
  readonly additionalProperties: false
} {
  return { type: 'object', properties, required, additionalProperties: false }
}

/** A schema with a description for models and people. */
export function described<const S extends Readonly<Record<string, unknown>>>(
  schema: S,
  description: string,
): S & { readonly description: string } {
  return { ...schema, description }
}
