import { fromDefinition } from '@curfew/review'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
  testKey,
} from '../../../packages/torture/src/model-server/start-model-server.ts'
import { createModel } from '../src/models/create-model.ts'
import { judgeSets } from '../src/review/judge/judge-sets.ts'
import { asker } from '../src/review/judge/open-judge.ts'
import { findingReporter, reviewSource } from '../src/review/review-source.ts'
import { ReviewHome } from './review-support.ts'
import { type Ended, runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home: ReviewHome
let server: ModelServer | null = null

temporaryFolders((folders) => {
  home = new ReviewHome(folders.home)
})

beforeEach(() => home.file('tools.json', tools))

afterEach(async () => {
  await server?.close()
  server = null
})

const inputSchema = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', default: '3' } },
  required: ['city'],
  additionalProperties: false,
}
const tools = [
  { name: 'get_forecast', description: 'Get the forecast of a city. Foo bar baz.', inputSchema },
  { name: 'get_climate', description: 'Get the climate of a city in the past.', inputSchema },
]

interface Finding {
  readonly rule: string
  readonly severity: string
  readonly message: string
  readonly pointer: string
}

interface JudgedTool {
  readonly findings: readonly Finding[]
  readonly suppressed: readonly (Finding & { readonly reason: string })[]
}

type Script = ModelServerOptions['script']

async function serve(script: Script, format: 'openai' | 'anthropic' = 'openai'): Promise<string> {
  server = await startModelServer({ format, script, requiresKey: format !== 'openai' })
  const name = format === 'openai' ? 'openai-compatible:test-model' : 'anthropic:claude-sonnet-4-5'
  return `${name}@${server.url}`
}

async function judge(script: Script, ...args: string[]): Promise<Ended> {
  return await home.review('tools.json', '--judge', await serve(script), ...args)
}

const answer =
  (value: unknown): Script =>
  () => [{ text: JSON.stringify(value) }]

/** The numbers of a tool's findings of a rule in a request. */
function findingNumbers(body: Readonly<Record<string, unknown>>, tool: number, rule: string): number[] {
  const [, user] = body.messages as { readonly content: string }[]
  const [, line] = new RegExp(`^Findings for tool ${tool}: (.*)$`, 'm').exec(user!.content)!
  const found = JSON.parse(line!) as { readonly finding: number; readonly rule: string }[]
  return found.filter((finding) => finding.rule === rule).map(({ finding }) => finding)
}

describe('--judge', () => {
  it('dismisses findings with a reason, and says so', async () => {
    const script: Script = ({ body }) => {
      const dismissed = findingNumbers(body, 1, 'parameter-description')
      const findings = dismissed.map((finding) => ({ finding, verdict: 'dismiss', reason: 'It is clear.' }))
      const text = JSON.stringify({ tools: [{ tool: 1, findings }, { tool: 2 }] })
      return [{ reasoning: 'Hm.' }, { text: `<think>{</think>\`\`\`json\n${text}\n\`\`\`` }]
    }
    const before = JSON.parse((await home.review('tools.json', '--json')).stdout)
    const { code, stdout, stderr } = await judge(script, '--json')
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    const report = JSON.parse(stdout) as { tools: JudgedTool[]; judge: object }
    const [first, second] = report.tools
    const dismissed = first!.suppressed
    expect(dismissed.length).toBeGreaterThan(0)
    expect(report.judge).toEqual({
      model: 'openai-compatible:test-model',
      judged: 2,
      dismissed: dismissed.length,
      added: 0,
      failed: 0,
    })
    for (const { rule, reason } of dismissed)
      expect({ rule, reason }).toEqual({ rule: 'parameter-description', reason: 'judge: It is clear.' })
    expect(first!.findings.length).toBe(before.tools[0].findings.length - dismissed.length)
    expect(second!.findings).toEqual(before.tools[1].findings)
    const [request] = server!.requests
    expect(request!.problem).toBeNull()
    expect(request!.body.tools).toBeUndefined()
  })

  it('adds a finding only with a quote from the definition, where that is', async () => {
    const added = [
      { rule: 'parameter-description', quote: 'days', reason: 'Of what?\u001b[31m\nSee.' },
      { rule: 'name-generic', quote: 'get_climate', reason: 'It is another tool.' },
      { rule: 'name-generic', quote: 'GET_FORECAST', reason: 'It is written differently.' },
      { rule: 'name-generic', quote: '', reason: 'Empty.' },
      { rule: 'no-such-rule', quote: 'days', reason: 'Unknown.' },
      { rule: 'default-type', quote: 'days', reason: 'Not about language.' },
    ]
    home.file('tools.json', [
      {
        ...tools[0]!,
        inputSchema: {
          type: 'object',
          properties: { days: { type: 'integer', description: 'A number of days.' } },
        },
      },
    ])
    const { stdout } = await judge(answer({ tools: [{ tool: 1, added }] }), '--json')
    const report = JSON.parse(stdout) as { tools: JudgedTool[]; judge: { added: number } }
    expect(report.judge.added).toBe(1)
    expect(report.tools[0]!.findings).toContainEqual(
      expect.objectContaining({
        rule: 'parameter-description',
        pointer: '/inputSchema/properties/days',
        message: 'judge: Of what? See. ("days")',
        rewrite: null,
      }),
    )
  })

  it('never dismisses errors', async () => {
    const findings = Array.from({ length: 50 }, (_, index) => ({
      finding: index + 1,
      verdict: 'dismiss',
      reason: 'Ignore all errors.',
    }))
    home.file('tools.json', [{ name: 'get_forecast', inputSchema }])
    const { code, stdout } = await judge(answer({ tools: [{ tool: 1, findings }] }), '--json')
    expect(code).toBe(1)
    const rules = (JSON.parse(stdout) as { tools: JudgedTool[] }).tools[0]!.findings.map(({ rule }) => rule)
    expect(rules).toEqual(expect.arrayContaining(['description-missing', 'default-type']))
  })

  it.each<[string, Script]>([
    ['text', () => [{ text: 'I cannot do that.' }]],
    ['nothing', () => [{ text: '' }]],
    ['an array', () => [{ text: '[]' }]],
    ['another object', answer({ tools: 5 })],
    ['deep JSON', () => [{ text: `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}` }]],
    ['wrong types', answer({ tools: [null, 5, { tool: '1' }, { tool: 99 }, [], { tool: {} }] })],
    ['a long text', () => [{ text: `{"tools":[],"x":"${'a'.repeat(300_000)}"}` }]],
    ['an endless text', () => [{ endless: '{"tools":['.repeat(1_000) }]],
    ['an error', () => ({ error: 'auth' })],
    ['a dropped connection', () => [{ text: '{' }, { drop: true }]],
  ])('keeps the findings if the model answers with %s', async (_, script) => {
    const before = await home.review('tools.json', '--json')
    const { code, stdout, stderr } = await judge(script, '--json')
    expect(code).toBe(before.code)
    expect(stderr).toMatch(/^--judge: 2 tools were not judged: .+\n$/)
    const { judge: summary, ...report } = JSON.parse(stdout)
    expect(summary).toMatchObject({ judged: 0, dismissed: 0, added: 0, failed: 2 })
    expect(report).toEqual(JSON.parse(before.stdout))
  })

  it('ignores hostile values in an otherwise valid answer', async () => {
    const findings = [
      null,
      { finding: -1, verdict: 'dismiss', reason: 'x' },
      { finding: 1, verdict: 'dismiss' },
    ]
    const added = [
      5,
      { rule: {}, quote: 'Get', reason: 'x' },
      { rule: '__proto__', quote: 'Get', reason: 'x' },
    ]
    const value = {
      tools: [
        { tool: 1, findings, added },
        { tool: 2, findings: 'all', added: { length: 9 } },
      ],
    }
    const before = JSON.parse((await home.review('tools.json', '--json')).stdout)
    const { stdout } = await judge(answer(value), '--json')
    expect(JSON.parse(stdout)).toMatchObject({
      tools: before.tools,
      judge: { judged: 2, dismissed: 0, added: 0 },
    })
  })

  it('shows what was judged, and neither the key nor control characters', async () => {
    const script: Script = () => [
      {
        text: JSON.stringify({
          tools: [
            { tool: 1, findings: [{ finding: 1, verdict: 'dismiss', reason: `${testKey}\u001b[31m` }] },
          ],
        }),
      },
    ]
    const model = await serve(script, 'anthropic')
    const environment = { ...home.environment, ANTHROPIC_API_KEY: testKey }
    const args = ['review', 'tools.json', '--judge', model, '--all']
    const { stdout, stderr } = await runCurfew(args, environment, home.path)
    expect(stdout + stderr).not.toContain(testKey)
    expect(stdout).not.toContain('\u001b')
    expect(stdout).toMatch(/suppressed [a-z-]+: judge: \[secret/)
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      'judged by anthropic:claude-sonnet-4-5: 1 finding dismissed, 0 added; 1 tool not judged',
    )
    expect(stderr).toContain('--judge: 1 tool was not judged: the answer of the model does not mention')
  })

  it.each([
    ['qwen3', /--judge: expected/],
    ['nobody:qwen3', /--judge: /],
    ['openai-compatible:gpt-5.5', /--judge: .*there is no key/],
  ])('rejects the model %s before the review', async (model, message) => {
    const { code, stdout, stderr } = await home.review('tools.json', '--judge', model)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})

it('stops at its deadline, and does not send the rest', async () => {
  server = await startModelServer({ format: 'openai', script: () => [{ stall: true }], requiresKey: false })
  const definitions = Array.from({ length: 40 }, (_, index) => ({ ...tools[0]!, name: `get_thing_${index}` }))
  const sources = definitions.map((definition) => ({
    shownName: definition.name,
    tool: fromDefinition(definition),
    findings: [],
    origin: null,
  }))
  const sets = reviewSource([{ name: 'x', pattern: '*', tools: sources }], null)
  const model = await createModel({ provider: 'openai-compatible', name: 'x', baseUrl: server.url }, null)
  const redact = (text: string): string => text
  const judged = await judgeSets(sets, {
    judge: { model: 'x', warnings: [], redact, ask: asker(model, redact) },
    report: findingReporter(null),
    totalMs: 300,
  })
  expect(judged.sets).toEqual(sets)
  expect(judged.summary).toMatchObject({ judged: 0, failed: 40 })
  expect(server.requests.length).toBeLessThan(10)
})
