import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Adapter, features, type Opened, type Setup } from '../../src/adapter/adapter.ts'
import { Conversation } from './conversation.ts'
import { isMutant, setMutant } from './mutation.ts'
import { Runtime } from './runtime.ts'

export interface ReferenceOptions {
  /** One behaviour that is wrong. */
  readonly mutant?: string
  /** Calls only come from the model, as in an agent. */
  readonly onlyConversation?: boolean
}

/** A small runtime that does what the suite expects, without dependencies. */
export function createReference({ mutant, onlyConversation = false }: ReferenceOptions = {}): Adapter {
  return {
    name: `reference${onlyConversation ? ' (conversation)' : ''}${mutant === undefined ? '' : ` with ${mutant}`}`,
    version: () => '1.0.0',
    features: Object.fromEntries(Object.keys(features).map((name) => [name, true])),
    async open(setup) {
      setMutant(mutant ?? null)
      if (isMutant('leaves-a-lock')) lock(setup)
      const runtime = await Runtime.start(setup, mutant ?? null)
      return open(setup, runtime, onlyConversation)
    },
  }
}

function open(setup: Setup, runtime: Runtime, onlyConversation: boolean): Opened {
  const conversation = setup.model === null ? null : new Conversation(setup, runtime)
  return {
    ...(!onlyConversation && { run: (calls, { signal }) => runtime.run(calls, signal) }),
    ...(conversation !== null && { prompt: (text, { signal }) => conversation.prompt(text, signal) }),
    command: async (command, { signal }) => ({ id: 'command', ...(await runtime.command(command, signal)) }),
    list: async () => runtime.list.calls,
    close: () => runtime.close(),
  }
}

function lock({ folder }: Setup): void {
  const file = join(folder, 'lock')
  if (existsSync(file)) throw new Error(`${file} exists; another process runs`)
  writeFileSync(file, '')
}
