import { fetchUrlTool } from '@curfew/agent/tools'
import { createRuntime } from '@curfew/core'
import { expect, test } from 'vitest'
import { startWebServer } from './support/web-server.ts'

/** Every later paragraph contains all of them. */
const formatting = Array.from({ length: 20_000 }, (_, index) => `<b id=${index}>`).join('')

test.each([
  ['nested elements', '<div>'.repeat(2_000_000)],
  ['nested formatting', `${'<b>'.repeat(3_000_000)}x`],
  ['nested lists', '<ul><li>x'.repeat(1_000_000)],
  ['nested tables', '<table><tr><td>x'.repeat(600_000)],
  ['misnested formatting that needs gigabytes', `<p>${formatting}${'</p><p>x'.repeat(100_000)}`],
  ['many comments', '<!--'.repeat(2_500_000)],
  ['only <', '<'.repeat(10_000_000)],
  ['many attributes', `<a ${'a="b" '.repeat(1_500_000)}>`],
])(
  'a hostile page of up to 10 MB ends in time, and the program stays responsive: %s',
  async (_what, page) => {
    const { origin } = await startWebServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>readable</p>${page}`),
    )
    const runtime = createRuntime({ approval: 'allow', log: () => {}, maxContentLength: 100_000_000 })
    runtime.register(fetchUrlTool({ allow: ['127.0.0.1'], redact: (text) => text, env: {} }))
    let last = performance.now()
    let longest = 0
    const timer = setInterval(() => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
    }, 10)
    const [result] = await runtime.execute([{ id: '1', name: 'fetch_url', params: { url: `${origin}/` } }])
    clearInterval(timer)
    await runtime.close()
    expect(result!.status).toBe('success')
    expect(result!.content).toContain('readable')
    expect(longest).toBeLessThan(3_000)
  },
  60_000,
)
