import { pathToFileURL } from 'node:url'
import type { Adapter, Opened, Setup, ToolSetup } from '../adapter/adapter.ts'
import { catalogue } from '../tools/catalogue.ts'
import { recordEvent } from '../tools/record-event.ts'
import { type HostReport, type HostRequest, type HostSetup, type ToolRequest, toSent } from './messages.ts'

/** Runs one adapter in a process of its own. The suite sends requests, and observes it from outside. */
const send = (report: HostReport): void => {
  process.send!(report)
}
const describe = (error: unknown): string => {
  try {
    return error instanceof Error ? `${error.name}: ${error.message}` : `thrown: ${String(error)}`
  } catch {
    return 'an error that cannot be described'
  }
}

const adapter: Promise<Adapter> = import(pathToFileURL(process.argv[2]!).href).then(
  (module) => module.default,
)
const running = new Map<number, AbortController>()
const questions = new Map<number, (allowed: boolean) => void>()
let opened: Opened | undefined
let lastQuestion = 0

process.on('message', (request: HostRequest) => {
  handle(request).catch((error) => send({ type: 'failed', message: describe(error) }))
})
// The suite has ended, however it did.
process.on('disconnect', () => process.exit())

async function handle(request: HostRequest): Promise<void> {
  switch (request.type) {
    case 'open': {
      const { name, version, open } = await adapter
      opened = await open(toSetup(request.setup))
      const ways = (['run', 'prompt', 'command', 'list'] as const).filter((way) => opened![way] !== undefined)
      return send({ type: 'opened', product: name, version: await version(), ways })
    }
    case 'run':
      return settle(request.run, (signal) => opened!.run!(request.calls, { signal }))
    case 'prompt':
      return settle(request.run, async (signal) => {
        const text = await opened!.prompt!(request.text, { signal })
        return [{ id: 'answer', text, isError: false }]
      })
    case 'command':
      return settle(request.run, async (signal) => [await opened!.command!(request.command, { signal })])
    case 'cancel':
      running.get(request.run)?.abort()
      return
    case 'answer':
      questions.get(request.question)?.(request.allowed)
      return
    case 'list':
      return send({ type: 'listed', calls: await opened!.list!() })
    case 'close':
      await opened?.close()
      return send({ type: 'closed' })
  }
}

async function settle(
  run: number,
  start: (signal: AbortSignal) => Promise<readonly unknown[]>,
): Promise<void> {
  const controller = new AbortController()
  running.set(run, controller)
  try {
    const results = await start(controller.signal)
    if ('polluted' in {}) throw new Error('the prototype of all objects was changed')
    send({ type: 'settled', run, results: results.map(toSent) })
  } catch (error) {
    send({ type: 'rejected', run, message: describe(error) })
  }
}

function toSetup({ tools, ...setup }: HostSetup): Setup {
  return { ...setup, tools: tools.map((tool) => toTool(tool)), started, ended, ask }
}

function started(pid: number): void {
  send({ type: 'started', pid })
}

function ended(id: string): void {
  send({ type: 'ended', id })
}

function ask(name: string, params: unknown): Promise<boolean> {
  return new Promise((resolve) => {
    const question = ++lastQuestion
    questions.set(question, resolve)
    send({
      type: 'question',
      question,
      name,
      params: typeof params === 'string' ? params : (JSON.stringify(params) ?? null),
    })
  })
}

function toTool({ name, needsApproval = false, parameters }: ToolRequest): ToolSetup {
  const tool = catalogue.get(name)
  if (tool === undefined) throw new Error(`the suite has no tool ${name}`)
  const { execute } = tool
  const schema = parameters ?? tool.parameters
  return {
    ...tool,
    parameters: schema,
    needsApproval,
    execute: (params, context) => {
      recordEvent('execute', name)
      return execute(params, context)
    },
  }
}
