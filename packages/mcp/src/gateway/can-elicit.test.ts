import type { ClientCapabilities } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { canElicit } from './can-elicit.ts'

test.each<[ClientCapabilities, boolean, boolean]>([
  [{}, false, false],
  [{ sampling: {} }, false, false],
  [{ elicitation: {} }, true, false],
  [{ elicitation: { form: {} } }, true, false],
  [{ elicitation: { url: {} } }, false, true],
  [{ elicitation: { form: {}, url: {} } }, true, true],
])('%j: form %s, url %s', (capabilities, form, url) => {
  expect([canElicit(capabilities, 'form'), canElicit(capabilities, 'url')]).toEqual([form, url])
})
