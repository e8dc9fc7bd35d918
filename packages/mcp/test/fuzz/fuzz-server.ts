import { Random } from '../../../../test/support/random.ts'
import { readMessages, write } from '../fixtures/hostile/wire.ts'
import { act, fine, serverMessage, validResponse } from './corpus.ts'
import { mutate } from './mutate.ts'

/**
 * `node fuzz-server.ts`: a server on stdio. Before the response to `act`, it sends the requested number of mutated messages.
 * It responds correctly to everything else, except that its lists contain mutated tools after each `act`.
 */
let random = new Random(0)
let acts = 0

readMessages(({ id, method, params }) => {
  if (method === undefined || id === undefined) return
  if (method === 'tools/call' && params?.name === 'act') {
    acts++
    const { seed, count } = params.arguments as { readonly seed: number; readonly count: number }
    const token = (params._meta as { readonly progressToken?: unknown } | undefined)?.progressToken
    random = new Random(seed)
    for (let sent = 0; sent < count; sent++) writeLine(mutate(random, serverMessage(random, id, token)))
  }
  if (method === 'tools/list')
    writeLine(Buffer.from(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${tools()}}`))
  else writeLine(Buffer.from(JSON.stringify(validResponse(id, method, params))))
})

/** As a string, because some are too deep for `JSON.stringify`. The first two are not mutated: changed tools would be denied. */
function tools(): string {
  const mutated =
    acts === 0 || random.once(2) ? 'null' : mutate(random, { ...fine, name: 'odd' }).toString('utf8')
  return `{"tools":[${JSON.stringify(act)},${JSON.stringify(fine)}${isJson(mutated) ? `,${mutated}` : ''}]}`
}

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== null
  } catch {
    return false
  }
}

function writeLine(bytes: Buffer): void {
  write(bytes)
  write('\n')
}
