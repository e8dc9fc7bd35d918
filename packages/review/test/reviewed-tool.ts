import type { CurfewFields, ReviewedTool } from '@curfew/review'

/** The fields that matter for a test; `properties` and `required` are those of the input schema. */
export type Fields = { readonly [K in keyof Omit<ReviewedTool, 'curfew'>]?: ReviewedTool[K] } & {
  readonly curfew?: Partial<CurfewFields> | undefined
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

export function reviewedTool({ curfew, properties, required = [], ...fields }: Fields): ReviewedTool {
  return {
    name: 'get_weather',
    title: undefined,
    description: undefined,
    usage: undefined,
    inputSchema: properties === undefined ? { type: 'object' } : { type: 'object', properties, required },
    outputSchema: undefined,
    annotations: undefined,
    location: undefined,
    suppressions: [],
    ...fields,
    curfew: curfew && {
      adapter: 'function',
      readOnly: false,
      concurrent: false,
      idempotent: false,
      destructive: false,
      openWorld: true,
      declared: new Set(),
      timeoutMs: undefined,
      ...curfew,
    },
  }
}
