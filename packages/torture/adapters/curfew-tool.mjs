// A tool of the suite as Curfew runs it in a thread: the query names the module and the export.
const { searchParams } = new URL(import.meta.url)

export default async function run(params, context) {
  const module = await import(searchParams.get('module'))
  return module[searchParams.get('export')](params, toToolContext(context))
}

/** Curfew's context, as the suite's tools use it. */
export const toToolContext = (context) => ({
  signal: context.signal,
  output: (text) => context.output(text),
  progress: (current) => context.progress({ current }),
  async call(name, params) {
    const [result] = await context.execute([{ id: 'nested', name, params }])
    if (result.status !== 'success') throw new Error(result.message)
    return result.content
  },
})
