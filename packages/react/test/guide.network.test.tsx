import { readFileSync } from 'node:fs'
import { defineTool } from '@curfew/core'
import { CurfewProvider } from '@curfew/react'
import { afterAll, describe, expect, test } from 'vitest'
import { browserRuns, launchBrowser } from '../../../test/support/launch-browser.ts'
import { until } from '../../../test/support/until.ts'
import { App, runtime } from './fixtures/guide-terminal.tsx'
import { bundleForBrowser } from './support/bundle-for-browser.ts'
import { renderInTerminal, settle } from './support/render-in-terminal.ts'
import { rowOf, rowsOf } from './support/row-of.ts'

const blocks = [
  ...readFileSync('docs/react.md', 'utf8').matchAll(/^<!-- (\S+) -->\n```tsx\n([\s\S]*?)```$/gm),
].map(([, file, code]) => ({ file: file!, code: code! }))

test('docs/react.md shows two programs', () => {
  expect(blocks).toHaveLength(2)
})

test.each(blocks)('docs/react.md shows $file as it is', ({ file, code }) => {
  const [, program] = /^\/\/ begin\n([\s\S]*?)^\/\/ end$/m.exec(readFileSync(file, 'utf8')) ?? []
  expect(code).toBe(program)
})

describe('the program for a terminal', () => {
  afterAll(async () => await runtime.close())

  test('shows calls with their output, and answers a question', async () => {
    const terminal = renderInTerminal(
      <CurfewProvider runtime={runtime}>
        <App />
      </CurfewProvider>,
    )
    runtime.register(
      defineTool({
        name: 'hello',
        description: 'Say hello.',
        parameters: { type: 'object', properties: { to: { type: 'string' } } },
        execute: (_params, { output }) => output('first\n\u001b[2Jlast\n'),
      }),
    )
    const running = runtime.execute([{ id: 'a', name: 'hello', params: { to: 'you' } }])
    await until(() => terminal.frame().includes('[y/n]'))
    // Neither an arrow key nor another letter is an answer.
    terminal.press('\u001b[A')
    terminal.press('x')
    await settle()
    expect(terminal.frame()).toContain('awaiting_approval  hello')
    terminal.press('y')
    await running
    await until(() => /^success {2}hello .*you.* {2}last$/.test(terminal.frame()))
    terminal.unmount()
  })
})

test.skipIf(!browserRuns)('the program for a browser renders only the visible rows of 1,000', async () => {
  const browser = await launchBrowser()
  const tab = await browser.newPage()
  await tab.setContent('<main></main>')
  await tab.addScriptTag({
    content: 'globalThis.sent = []; globalThis.socket = { send: (data) => sent.push(data) }',
  })
  const file = 'packages/react/test/fixtures/guide-browser.tsx'
  await tab.addScriptTag({ content: await bundleForBrowser(file, 'production') })
  const receive = async (message: object): Promise<void> =>
    await tab.evaluate(
      (data) => Reflect.get(globalThis, 'bundled').receive({ data }),
      JSON.stringify(message),
    )
  const rows = tab.locator('main > div > div > div')
  await receive({ snapshot: { revision: 5, calls: rowsOf(1_000), questions: [] } })
  await until(async () => (await rows.count()) > 0)
  expect(await rows.count()).toBe(26)
  const unchanged = { removed: [], opened: [], closed: [] }
  await receive({ delta: { ...unchanged, from: 5, revision: 6, changed: [rowOf(1, { status: 'success' })] } })
  await until(async () => (await rows.first().textContent()) === 'tool success')
  await tab.locator('main > div').evaluate((list) => Object.assign(list, { scrollTop: 12_000 }))
  await until(async () => (await rows.first().evaluate((row) => Reflect.get(row, 'offsetTop'))) === 12_000)
  // A delta is missing.
  await receive({ delta: { ...unchanged, from: 8, revision: 9, changed: [] } })
  expect(await tab.evaluate(() => Reflect.get(globalThis, 'sent'))).toEqual([JSON.stringify({ since: 6 })])
  await browser.close()
})
