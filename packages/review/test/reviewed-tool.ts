import type { OwnTool, ReviewedTool } from '@curfew/review'

/** The fields that matter for a test; `properties` and `required` are those of the input schema. */
export type Fields = { readonly [K in keyof Omit<ReviewedTool, 'own'>]?: ReviewedTool[K] } & {
  readonly own?: Partial<OwnTool> | undefined
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

export function reviewedTool({ own, properties, required = [], ...fields }: Fields): ReviewedTool {
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
    own: own && {
      adapter: 'function',
      readOnly: false,
      concurrent: false,
      idempotent: false,
      destructive: false,
      openWorld: true,
      declared: new Set(),
      timeoutMs: undefined,
      ...own,
    },
  }
}
