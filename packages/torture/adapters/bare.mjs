/** No product: a tool is raced against a timer, and its signal is aborted. This is what most programs start with. */
export default {
  name: 'Promise.race',
  version: () => process.version,
  features: { function: true, batch: true, cancel: true },
  async open({ tools, limitMs }) {
    const byName = new Map(tools.map((tool) => [tool.name, tool]))

    async function execute({ id, name, params }, signal) {
      const controller = new AbortController()
      signal.addEventListener('abort', () => controller.abort(signal.reason))
      let timer
      const timeout = new Promise((_, reject) => {
        timer = setTimeout(() => {
          const error = new Error(`${name} timed out after ${limitMs} ms`)
          controller.abort(error)
          reject(error)
        }, limitMs)
      })
      const cancelled = new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('The call was cancelled')))
      })
      try {
        const context = {
          signal: controller.signal,
          output() {},
          progress() {},
          call: () => Promise.reject(new Error()),
        }
        const tool = byName.get(name)
        if (tool === undefined) throw new Error(`Unknown tool: ${name}`)
        const value = await Promise.race([tool.execute(JSON.parse(params), context), timeout, cancelled])
        return { id, text: typeof value === 'string' ? value : JSON.stringify(value), isError: false }
      } catch (error) {
        return { id, text: `Error: ${error.message}`, isError: true }
      } finally {
        clearTimeout(timer)
      }
    }

    return {
      run: (calls, { signal }) => Promise.all(calls.map((call) => execute(call, signal))),
      close: async () => {},
    }
  },
}
