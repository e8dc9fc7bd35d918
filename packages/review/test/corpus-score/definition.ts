import type { OwnTool, ReviewedAnnotations, ReviewedTool } from '../../src/review-types.ts'

/** A definition in few words. */
export interface Written {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly usage?: string
  readonly properties?: Readonly<Record<string, object>>
  readonly required?: readonly string[]
  readonly outputSchema?: object
  readonly annotations?: ReviewedAnnotations
  readonly own?: OwnTool
  readonly suppressions?: ReviewedTool['suppressions']
}

export function definition(written: Written): ReviewedTool {
  const { properties = {}, required = [] } = written
  return {
    name: written.name,
    title: written.title,
    description: written.description,
    usage: written.usage,
    inputSchema: { type: 'object', properties, required },
    outputSchema: written.outputSchema as ReviewedTool['outputSchema'],
    annotations: written.annotations,
    own: written.own,
    place: undefined,
    suppressions: written.suppressions ?? [],
  }
}
