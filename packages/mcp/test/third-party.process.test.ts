import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ElicitRequest, LoggingMessageNotification } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { untilNoneLeft } from '../../../test/support/processes.ts'
import { until } from '../../../test/support/until.ts'
import { type Gateway, type Home, startGateway } from './helpers/gateway.ts'
import { call } from './helpers/hostile.ts'
import { toolNames } from './helpers/stage.ts'
import { thirdPartyHome } from './helpers/third-party.ts'

let home: Home
let gateway: Gateway
const elicited: ElicitRequest['params'][] = []
const logged: LoggingMessageNotification['params'][] = []
const updated: string[] = []

beforeAll(async () => {
  home = await thirdPartyHome()
  gateway = await startGateway(home, {
    capabilities: { sampling: {}, elicitation: { form: {}, url: {} }, roots: { listChanged: true } },
    prepare: (client) => {
      client.setRequestHandler('sampling/createMessage', async ({ params }) => ({
        role: 'assistant',
        model: 'a-test',
        content: { type: 'text', text: `I was asked: ${JSON.stringify(params.messages)}` },
      }))
      client.setRequestHandler('elicitation/create', async ({ params }) => {
        elicited.push(params)
        return params.mode === 'url'
          ? { action: 'accept' }
          : { action: 'accept', content: { name: 'Ada', check: true } }
      })
      client.setRequestHandler('roots/list', async () => ({
        roots: [{ uri: `file://${home.folder}/files` }],
      }))
      client.setNotificationHandler('notifications/message', ({ params }) => void logged.push(params))
      client.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void updated.push(params.uri),
      )
    },
  })
})

afterAll(async () => {
  await gateway.close()
  await untilNoneLeft(home.tag).finally(() => home[Symbol.asyncDispose]())
})

const file = (name: string): string => join(home.folder, 'files', name)

describe('server-everything', () => {
  test('its tools are listed, including those that require client capabilities', async () => {
    const wanted = [
      'echo',
      'get-sum',
      'trigger-long-running-operation',
      'trigger-sampling-request',
      'trigger-elicitation-request',
    ]
    await until(async () => (await toolNames(gateway)).includes('mcp__everything__trigger-sampling-request'))
    expect(await toolNames(gateway)).toEqual(
      expect.arrayContaining(wanted.map((name) => `mcp__everything__${name}`)),
    )
  })

  test('text, a sum, an image, links, a resource and structured content are forwarded', async () => {
    const { client } = gateway
    const run = (name: string, args = {}) =>
      client.callTool({ name: `mcp__everything__${name}`, arguments: args })
    expect((await run('echo', { message: 'hello' })).content).toEqual([{ type: 'text', text: 'Echo: hello' }])
    expect(JSON.stringify((await run('get-sum', { a: 2, b: 40 })).content)).toContain('42')
    const image = (await run('get-tiny-image')).content.find(({ type }) => type === 'image')
    expect(image).toMatchObject({ mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) })
    const links = (await run('get-resource-links', { count: 3 })).content.filter(
      ({ type }) => type === 'resource_link',
    )
    expect(links).toHaveLength(3)
    const reference = (await run('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).content
    expect(reference.find(({ type }) => type === 'resource')).toMatchObject({
      resource: { uri: expect.any(String) },
    })
    const annotated = (await run('get-annotated-message', { messageType: 'error' })).content
    expect(annotated[0]).toMatchObject({ annotations: { priority: 1 } })
    const weather = await run('get-structured-content', { location: 'Chicago' })
    expect(weather.structuredContent).toMatchObject({
      temperature: expect.any(Number),
      conditions: expect.any(String),
    })
  })

  test('invalid arguments are rejected with a message', async () => {
    const name = 'mcp__everything__get-sum'
    const { content, isError } = await gateway.client.callTool({ name, arguments: { a: 'two' } })
    expect(isError).toBe(true)
    expect(content).toEqual([
      { type: 'text', text: expect.stringMatching(/^MCP error -32602: .* expected number, received string/) },
      {
        type: 'text',
        text: "[curfew] The arguments do not match the tool's schema: b: is required; a: must be number.",
      },
    ])
  })

  test('resources, their templates, and updates', async () => {
    const { client } = gateway
    const { resources } = await client.listResources()
    const features = resources.find(({ uri }) => uri.endsWith('features.md'))!
    const [content] = (await client.readResource({ uri: features.uri })).contents
    expect(content).toMatchObject({ uri: features.uri, text: expect.stringContaining('Everything') })
    const { resourceTemplates } = await client.listResourceTemplates()
    const template = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes('text'))!
    const uri = template.uriTemplate.replace('{resourceId}', '7')
    expect((await client.readResource({ uri })).contents[0]).toMatchObject({
      text: expect.stringContaining('Resource 7'),
    })
    await client.subscribeResource({ uri })
    await call(gateway, 'mcp__everything__toggle-subscriber-updates')
    await until(() => updated.length > 0, 8_000)
    expect(updated).toContain(uri)
    await client.unsubscribeResource({ uri })
    await call(gateway, 'mcp__everything__toggle-subscriber-updates')
  })

  test('a missing resource', async () => {
    await expect(gateway.client.readResource({ uri: 'demo://resource/nowhere' })).rejects.toThrow(/nowhere/)
  })

  test('prompts and completion', async () => {
    const { client } = gateway
    const { prompts } = await client.listPrompts()
    const prompt = (end: string) => prompts.find(({ name }) => name.endsWith(end))!
    const simple = await client.getPrompt({ name: prompt('simple-prompt').name })
    expect(simple.messages[0]?.content).toMatchObject({
      type: 'text',
      text: expect.stringContaining('simple prompt'),
    })
    const args = await client.getPrompt({ name: prompt('args-prompt').name, arguments: { city: 'Oslo' } })
    expect(JSON.stringify(args.messages)).toContain('Oslo')
    const { name } = prompt('completable-prompt')
    const ref = { type: 'ref/prompt', name } as const
    const { completion } = await client.complete({ ref, argument: { name: 'department', value: 'S' } })
    expect(completion.values).toEqual(['Sales', 'Support'])
    const context = { arguments: { department: 'Sales' } }
    const people = await client.complete({ ref, argument: { name: 'name', value: '' }, context })
    expect(people.completion.values).toEqual(['David', 'Eve', 'Frank'])
    const { resourceTemplates } = await client.listResourceTemplates()
    const uri = resourceTemplates.find(({ uriTemplate }) => uriTemplate.includes('text'))!.uriTemplate
    const ids = await client.complete({
      ref: { type: 'ref/resource', uri },
      argument: { name: 'resourceId', value: '7' },
    })
    expect(ids.completion.values).toEqual(['7'])
  })

  test('progress of a long operation', async () => {
    const seen: number[] = []
    const { text } = await call(gateway, 'mcp__everything__trigger-long-running-operation', {
      params: { duration: 0.5, steps: 5 },
      onprogress: ({ progress, total }) => {
        expect(total).toBe(5)
        seen.push(progress)
      },
    })
    expect(text).toContain('completed')
    // The last one may arrive together with the result, too late for the client.
    expect(seen.slice(0, 4)).toEqual([1, 2, 3, 4])
  })

  test('a cancelled call does not block others', async () => {
    const controller = new AbortController()
    const name = 'mcp__everything__trigger-long-running-operation'
    const calling = call(gateway, name, {
      params: { duration: 30, steps: 300 },
      signal: controller.signal,
      onprogress: () => controller.abort(),
    })
    const start = performance.now()
    await expect(calling).rejects.toThrow()
    expect((await call(gateway, 'mcp__everything__echo', { params: { message: 'next' } })).text).toBe(
      'Echo: next',
    )
    expect(performance.now() - start).toBeLessThan(20_000)
  })

  test('sampling goes to the client', async () => {
    const { text } = await call(gateway, 'mcp__everything__trigger-sampling-request', {
      params: { prompt: 'why?', maxTokens: 20 },
    })
    expect(text).toContain('I was asked')
    expect(text).toContain('why?')
    expect(text).toContain('a-test')
  })

  test('elicitation goes to the client, with a form and with a URL', async () => {
    const form = await call(gateway, 'mcp__everything__trigger-elicitation-request')
    expect(form.text).toContain('Ada')
    expect(elicited.at(-1)).toMatchObject({
      message: expect.stringMatching(/^The MCP server everything asks: /),
      requestedSchema: { type: 'object' },
    })
    const url = 'https://example.com/authorize'
    const link = await call(gateway, 'mcp__everything__trigger-url-elicitation', { params: { url } })
    expect(link.text).toContain('User completed')
    expect(elicited.at(-1)).toMatchObject({ mode: 'url', url })
  })

  test('roots come from the client', async () => {
    const { text } = await call(gateway, 'mcp__everything__get-roots-list')
    expect(text).toContain(`${home.folder}/files`)
  })

  test('logging goes to the client at its level', async () => {
    await gateway.client.setLoggingLevel('debug')
    await call(gateway, 'mcp__everything__toggle-simulated-logging')
    await until(() => logged.some(({ data }) => /level[- ]message/.test(String(data))))
    await call(gateway, 'mcp__everything__toggle-simulated-logging')
    expect(logged.map(({ data }) => String(data)).join('\n')).toMatch(/level[- ]message/)
  })
})

describe('server-filesystem', () => {
  test('reads, writes, edits, lists and searches', async () => {
    const run = (name: string, params: Record<string, unknown>) =>
      call(gateway, `mcp__filesystem__${name}`, { params })
    expect((await run('read_text_file', { path: file('poem.txt') })).text).toContain('Roses are red')
    expect((await run('read_text_file', { path: file('poem.txt'), head: 1 })).text).not.toContain('violets')
    expect((await run('write_file', { path: file('new.txt'), content: 'one\n' })).isError).toBe(false)
    const edits = [{ oldText: 'one', newText: 'two' }]
    expect((await run('edit_file', { path: file('new.txt'), edits })).text).toContain('+two')
    expect(readFileSync(file('new.txt'), 'utf8')).toBe('two\n')
    expect((await run('list_directory', { path: file('.') })).text).toContain('new.txt')
    expect((await run('search_files', { path: file('.'), pattern: '*.txt' })).text).toContain('poem.txt')
    const many = await run('read_multiple_files', { paths: [file('poem.txt'), file('new.txt')] })
    expect(many.text).toContain('two')
  })

  test('its own rejection is a tool error', async () => {
    const { isError, text } = await call(gateway, 'mcp__filesystem__read_text_file', {
      params: { path: '/etc/passwd' },
    })
    expect(isError).toBe(true)
    expect(text).toContain('/etc/passwd')
  })

  test('parallel calls each get their own result', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `many-${i}.txt`)
    const write = (name: string) =>
      call(gateway, 'mcp__filesystem__write_file', { params: { path: file(name), content: name } })
    const read = (name: string) =>
      call(gateway, 'mcp__filesystem__read_text_file', { params: { path: file(name) } })
    await Promise.all(names.map(write))
    expect((await Promise.all(names.map(read))).map(({ text }) => text)).toEqual(names)
  })
})

test('server-memory keeps a graph', async () => {
  const run = (name: string, args = {}) =>
    gateway.client.callTool({ name: `mcp__memory__${name}`, arguments: args })
  const entities = ['Ada', 'Charles'].map((name) => ({
    name,
    entityType: 'person',
    observations: [`${name} lived`],
  }))
  await run('create_entities', { entities })
  await run('create_relations', { relations: [{ from: 'Ada', to: 'Charles', relationType: 'knew' }] })
  await run('add_observations', { observations: [{ entityName: 'Ada', contents: ['wrote a program'] }] })
  expect((await run('search_nodes', { query: 'program' })).structuredContent).toMatchObject({
    entities: [{ name: 'Ada' }],
  })
  await run('delete_entities', { entityNames: ['Charles'] })
  expect((await run('read_graph')).structuredContent).toMatchObject({
    entities: [{ name: 'Ada' }],
    relations: [],
  })
  const { contents } = await gateway.client.readResource({ uri: 'memory://knowledge-graph' })
  expect(JSON.stringify(contents)).toContain('wrote a program')
})

test('server-sequential-thinking counts its thoughts, and accepts numbers as strings', async () => {
  const think = (thoughtNumber: number | string) =>
    gateway.client.callTool({
      name: 'mcp__thinking__sequentialthinking',
      arguments: {
        thought: `thought ${thoughtNumber}`,
        thoughtNumber,
        totalThoughts: 3,
        nextThoughtNeeded: thoughtNumber !== '3',
      },
    })
  await think(1)
  await think(2)
  expect((await think('3')).structuredContent).toMatchObject({
    thoughtNumber: 3,
    thoughtHistoryLength: 3,
    nextThoughtNeeded: false,
  })
})
