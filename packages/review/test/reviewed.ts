import type { OwnTool, ReviewedTool } from '@curfew/review'

/** What of a tool matters for a test. */
export type Fields = { readonly [K in keyof Omit<ReviewedTool, 'own'>]?: ReviewedTool[K] } & {
  readonly own?: Partial<OwnTool> | undefined
}

/** A tool as the review sees it; what is not given is not there. */
export function reviewed(fields: Fields): ReviewedTool {
  const { own, ...rest } = fields
  return {
    name: 'get_weather',
    title: undefined,
    description: undefined,
    usage: undefined,
    inputSchema: { type: 'object' },
    outputSchema: undefined,
    annotations: undefined,
    place: undefined,
    suppressions: [],
    ...rest,
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
