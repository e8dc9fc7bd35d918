import { getEventListeners } from 'node:events'
import type { Browser, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { browserRuns, launchBrowser } from '../../../test/support/launch-browser.ts'
import { openSecretPage, type SecretPage } from '../src/secret-page/secret-page.ts'
import { sendRaw } from './helpers/http-service.ts'

const question = { key: 'WEATHER_KEY', use: 'api_weather (api.example.com)', message: 'The API said 401.' }
const open: SecretPage[] = []
afterEach(async () => {
  for (const page of open.splice(0)) await page.close()
})

async function ask(options: Partial<Parameters<typeof openSecretPage>[0]> = {}): Promise<SecretPage> {
  const page = await openSecretPage({ ...question, signal: new AbortController().signal, ...options })
  open.push(page)
  return page
}

function post(
  url: string,
  fields: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { origin: new URL(url).origin, ...headers },
    body: new URLSearchParams(fields),
  })
}

describe('the page for a secret', () => {
  test('returns the value once and closes', async () => {
    const page = await ask()
    expect(new URL(page.url).hostname).toBe('127.0.0.1')
    expect(new URL(page.url).pathname.length).toBeGreaterThan(40)
    const form = await fetch(page.url)
    expect(await form.text()).toContain('WEATHER_KEY')
    const secret = ' p&ss=wörd+<%20> '
    const end = await post(page.url, { secret, action: 'save' })
    const text = await end.text()
    expect(text).toContain('You can close this page')
    expect(text).not.toContain('wörd')
    expect(await page.answer).toBe(secret)
    await expect(fetch(page.url)).rejects.toThrow()
  })

  test('completes the response when it is closed immediately', async () => {
    const page = await ask({ use: null })
    expect(await (await fetch(page.url)).text()).not.toContain('Used by')
    const posting = post(page.url, { secret: 'abcd', action: 'save' })
    await page.answer
    await page.close()
    expect(await (await posting).text()).toContain('You can close this page')
  })

  test('can be declined, and then the value is ignored', async () => {
    const page = await ask()
    await post(page.url, { secret: 'typed-anyway', action: 'decline' })
    expect(await page.answer).toBeNull()
    await expect(fetch(page.url)).rejects.toThrow()
  })

  test('asks again for a value that is too short', async () => {
    const page = await ask()
    const answer = await post(page.url, { secret: 'abc', action: 'save' })
    expect([answer.status, (await answer.text()).includes('at least 4')]).toEqual([422, true])
    expect((await post(page.url, { action: 'save' })).status).toBe(422)
    expect((await post(page.url, { secret: 'x'.repeat(70_000), action: 'save' })).status).toBe(413)
    await post(page.url, { secret: 'abcd', action: 'save' })
    expect(await page.answer).toBe('abcd')
  })

  test('cannot be cached, framed or scripted, and sends no referrer', async () => {
    const page = await ask()
    const { headers } = await fetch(page.url)
    expect(headers.get('content-security-policy')).toMatch(
      /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    )
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('same-origin')
    expect(headers.get('x-frame-options')).toBe('DENY')
  })

  test('escapes names', async () => {
    const page = await ask({
      key: '<img src=x>',
      use: '"><script>alert(1)</script>',
      message: 'a\u202Eb\u0007c & d',
    })
    const html = await (await fetch(page.url)).text()
    expect(html).not.toMatch(/<img|<script/)
    expect(html).toContain('&lt;script&gt;')
    expect(html).toContain('a b c &amp; d')
  })

  test('rejects other hosts and origins', async () => {
    const page = await ask()
    const { origin, host } = new URL(page.url)
    const fields = { secret: 'planted', action: 'save' }
    const type = 'application/x-www-form-urlencoded'
    for (const [status, url, headers] of [
      [404, `${origin}/`, {}],
      [404, `${page.url}x`, {}],
      [404, `${page.url}?a`, {}],
      [403, page.url, { origin: 'http://evil.example.com' }],
      [403, page.url, { origin: 'null' }],
      [403, page.url, { origin: undefined }],
      [403, page.url, { host: 'evil.example.com' }],
      [403, page.url, { host: host.replace('127.0.0.1', 'localhost') }],
    ] as const) {
      const body = new URLSearchParams(fields).toString()
      const path = url.slice(origin.length)
      const answer = await sendRaw(url, { path, body, headers: { origin, 'content-type': type, ...headers } })
      expect([answer.status, path, headers]).toEqual([status, path, headers])
    }
    expect((await fetch(page.url, { method: 'PUT' })).status).toBe(405)
    await page.close()
    expect(await page.answer).toBeNull()
  })

  test('uses the first of two concurrent answers', async () => {
    const page = await ask()
    const answers = await Promise.allSettled(
      ['first', 'second', 'third'].map((secret) => post(page.url, { secret, action: 'save' })),
    )
    const good = answers.filter((answer) => answer.status === 'fulfilled' && answer.value.status === 200)
    expect(good.length).toBe(1)
    expect(['first', 'second', 'third']).toContain(await page.answer)
  })

  test('closes with its question', async () => {
    const question = new AbortController()
    const page = await ask({ signal: question.signal })
    expect((await fetch(page.url)).status).toBe(200)
    question.abort()
    expect(await page.answer).toBeNull()
    await expect(fetch(page.url)).rejects.toThrow()
    expect(await (await ask({ signal: question.signal })).answer).toBeNull()
  })

  test('removes its abort listener when it is answered', async () => {
    const { signal } = new AbortController()
    const page = await ask({ signal })
    await post(page.url, { secret: 'abcd', action: 'save' })
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })
})

describe.runIf(browserRuns)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchBrowser()
  }, 120_000)
  afterAll(async () => await browser?.close())

  async function browse(page: SecretPage, visit: (tab: Page) => Promise<void>): Promise<void> {
    const tab = await browser.newPage()
    const problems: string[] = []
    tab.on('console', (entry) => problems.push(entry.text()))
    await tab.goto(page.url)
    await visit(tab)
    // Including violations of the content security policy.
    expect(problems).toEqual([])
  }

  test('the field is masked and focused, and Enter saves', async () => {
    const page = await ask()
    await browse(page, async (tab) => {
      const field = tab.getByLabel('Value')
      expect(await field.getAttribute('type')).toBe('password')
      await tab.keyboard.type('typed-by-hand')
      expect(await field.inputValue()).toBe('typed-by-hand')
      // The policy allows the style.
      const colour = await tab.evaluate("getComputedStyle(document.querySelector('button.first')).color")
      expect(colour).toBe('rgb(255, 255, 255)')
      await tab.keyboard.press('Enter')
      await tab.getByText('You can close this page').waitFor()
      expect(await tab.content()).not.toContain('typed-by-hand')
    })
    expect(await page.answer).toBe('typed-by-hand')
  })

  test('an empty value is not saved, and the second button declines', async () => {
    const page = await ask()
    await browse(page, async (tab) => {
      await tab.getByRole('button', { name: 'Save' }).click()
      expect(await tab.getByLabel('Value').isVisible()).toBe(true)
      await tab.getByRole('button', { name: 'Decline' }).click()
      await tab.getByText('Declined').waitFor()
    })
    expect(await page.answer).toBeNull()
  })
})
