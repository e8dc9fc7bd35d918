import { mutateJson, type Vocabulary } from '../../../../test/support/mutate-json.ts'
import type { Random } from '../../../../test/support/random.ts'

/** A mutated JSON-RPC message as bytes, without a trailing newline. */
export function mutate(random: Random, message: object): Buffer {
  return mutateJson(random, message, vocabulary)
}

const vocabulary: Vocabulary = {
  keys: [
    ...['id', 'jsonrpc', 'method', 'params', 'result', 'error', '_meta', 'progressToken', 'cursor'],
    ...['nextCursor', 'name', 'arguments', 'content', 'type', 'isError'],
  ],
  strings: [
    ...['initialize', 'ping', 'server/discover', 'tools/list', 'tools/call', 'resources/read', 'prompts/get'],
    ...['completion/complete', 'logging/setLevel', 'elicitation/create', 'sampling/createMessage'],
    ...['roots/list', 'notifications/cancelled', 'notifications/progress', 'notifications/initialized'],
    ...['tasks/get', 'rpc.x'],
  ],
  members: ['"id":7', '"id":null', '"jsonrpc":"1.0"', '"method":"ping"', '"result":{}'],
}
