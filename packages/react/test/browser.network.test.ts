import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserRuns, launchBrowser } from '../../../test/support/launch-browser.ts'
import type { TestPage } from './fixtures/browser-page.tsx'
import { bundleForBrowser } from './support/bundle-for-browser.ts'
import { rowOf, rowsOf } from './support/row-of.ts'

declare const page: TestPage

const bundlePage = (mode: 'production' | 'development'): Promise<string> =>
  bundleForBrowser('packages/react/test/fixtures/browser-page.tsx', mode)

test('the bundle for browsers contains nothing of Node', async () => {
  expect(await bundlePage('production')).not.toMatch(/\bnode:|\bBuffer\b|\brequire\(/)
})

describe.skipIf(!browserRuns)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  })
  afterAll(async () => await browser.close())

  async function open(mode: 'production' | 'development'): Promise<{ tab: Page; errors: string[] }> {
    const tab = await browser.newPage()
    const errors: string[] = []
    tab.on('pageerror', (error) => errors.push(String(error)))
    tab.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) errors.push(message.text())
    })
    await tab.setContent('<main></main>')
    await tab.addScriptTag({ content: await bundlePage(mode) })
    return { tab, errors }
  }

  /** Changes the mirror, waits for two frames and returns how often each component was rendered. */
  async function change(
    tab: Page,
    method: 'reset' | 'apply',
    argument: object,
  ): Promise<Record<string, number>> {
    return await tab.evaluate(
      async ([method, argument]) => {
        const frame = Reflect.get(globalThis, 'requestAnimationFrame') as (run: () => void) => void
        page.takeCounts()
        if (!page.mirror[method](argument)) throw new Error('expected a valid change')
        for (let index = 0; index < 2; index++) await new Promise<void>((resolve) => frame(resolve))
        return page.takeCounts()
      },
      [method, argument] as const,
    )
  }

  const noChange = { changed: [], removed: [], opened: [], closed: [] }

  test('a change to one call among 1,000 renders one row', async () => {
    const { tab, errors } = await open('production')
    const first = await change(tab, 'reset', { revision: 0, calls: rowsOf(1_000), questions: [] })
    const rows = Object.entries(first).filter(([name]) => name.startsWith('row'))
    expect(rows).toHaveLength(1_000)
    expect(new Set(rows.map(([, renders]) => renders))).toEqual(new Set([1]))
    const row = rowOf(500, { status: 'success', outputTail: 'the end', outputLength: 7 })
    expect(await change(tab, 'apply', { ...noChange, from: 0, revision: 1, changed: [row] })).toEqual({
      'row 500': 1,
    })
    expect(await tab.locator('li').nth(499).textContent()).toBe('tool success the end')
    expect(await change(tab, 'apply', { ...noChange, from: 1, revision: 2 })).toEqual({})
    const question = { kind: 'input', id: 1, message: 'Which one?' }
    expect(await change(tab, 'apply', { ...noChange, from: 2, revision: 3, opened: [question] })).toEqual({
      questions: 1,
    })
    expect(await tab.locator('p').textContent()).toBe('Which one?')
    expect(await change(tab, 'apply', { ...noChange, from: 3, revision: 4, removed: [1] })).toEqual({
      app: 1,
    })
    expect(await tab.locator('li').count()).toBe(999)
    await tab.evaluate(() => page.unmount())
    expect(await change(tab, 'apply', { ...noChange, from: 4, revision: 5, changed: [row] })).toEqual({})
    expect(errors).toEqual([])
    await tab.close()
  })

  test('strict mode of the development build reports nothing and shows every change', async () => {
    const { tab, errors } = await open('development')
    await change(tab, 'reset', { revision: 0, calls: rowsOf(3), questions: [] })
    const changed = [rowOf(2, { status: 'error' }), rowOf(4)]
    expect(await change(tab, 'apply', { ...noChange, from: 0, revision: 1, changed })).toMatchObject({
      app: 2,
      'row 2': 2,
    })
    await change(tab, 'reset', { revision: 9, calls: [rowOf(2, { name: 'other' })], questions: [] })
    expect(await tab.locator('li').allTextContents()).toEqual(['other executing '])
    expect(errors).toEqual([])
    await tab.close()
  })
})
