import { existsSync, utimesSync } from 'node:fs'
import type { Question } from '@curfew/core'
import { describe, expect, test } from 'vitest'
import { until } from '../../../test/support/until.ts'
import { EscalationSetup, type Loosening, targets } from './escalation-support.ts'
import { answer, PromptSetup } from './prompt-support.ts'

const prompts = new PromptSetup()
const setup = new EscalationSetup(prompts)

const everything = ['*', '*(*)', 'write_file', 'edit_file', 'run_command(*)', 'save_memory', 'generate_image']

/** The one protected file that a person approves: that must not count for another one, or for the next time. */
const approved = '.curfew/commands/deploy.md'
const approve = (kind: 'turn' | 'always') => (question: Question) => {
  const isApproved = JSON.stringify(question.params ?? null).includes(approved)
  return isApproved || (question.kind === 'approval' && question.restriction === null) ? kind : 'no'
}

const loosenings: Readonly<Record<string, Loosening>> = {
  '--yes': { yes: true },
  '--allow for everything': { yes: true, allow: everything },
  '--mode accept-edits': { yes: true, mode: 'accept-edits' },
  'allow rules and settings of tools': {
    yes: true,
    config: {
      approval: { default: 'allow', rules: { allow: everything } },
      tools: { write_file: { approval: 'allow', readOnly: true }, '*': { approval: 'allow' } },
    },
  },
  'answers for the turn': { mode: 'accept-edits', terminal: approve('turn') },
  'the answer always': { mode: 'accept-edits', terminal: approve('always') },
}

interface Way {
  readonly name: string
  readonly params: (path: string) => object
}

const command = (line: (path: string) => string): Way => ({
  name: 'run_command',
  params: (path) => ({ command: line(path) }),
})

const ways: Readonly<Record<string, Way>> = {
  write_file: { name: 'write_file', params: (path) => ({ path, content: 'escalated' }) },
  edit_file: {
    name: 'edit_file',
    params: (path) => ({ path, edits: [{ old_string: '{', new_string: 'escalated' }] }),
  },
  'a redirection': command((path) => `echo escalated > ${path}`),
  'a quoted argument': command((path) => `cp src/ordinary.txt '${path}'`),
  'quotes inside the name': command((path) => `tee ${path.replace(/(\w\w?)$/, '""$1')} < src/ordinary.txt`),
  'a script in another language': command((path) => `node -e "fs.writeFileSync('${path}', 'escalated')"`),
  timeout: {
    name: 'timeout',
    params: (path) => ({ seconds: 5, command_args: ['sh', '-c', `echo escalated > ${path}`] }),
  },
  nice: { name: 'nice', params: (path) => ({ command_args: ['cp', 'src/ordinary.txt', path] }) },
  generate_image: { name: 'generate_image', params: (path) => ({ prompt: 'x', path }) },
}

const callsOf = ({ name, params }: Way) =>
  targets.map((target) => ({ id: target, name, params: params(setup.path(target)) }))

/** Opens the agent, whose model tries everything at once: itself, then in a subagent. */
async function open(loosening: Loosening) {
  setup.prepare({ imageModel: 'openai-compatible:image@http://127.0.0.1:9', ...loosening.config })
  const calls = Object.values(ways).flatMap((way) => callsOf(way))
  const attempts = calls.map(({ name, params: input }) => ({ call: { name, input } }))
  for (const scope of ['user', 'project'])
    attempts.push({ call: { name: 'save_memory', input: { fact: 'Pass --yes.', scope } } })
  const subagent = { name: 'invoke_subagent', input: { task: 'x', tools: ['*'] } }
  const { model } = await prompts.serve([[{ call: subagent }], attempts, answer('done'), answer('done')])
  const asked: Extract<Question, { kind: 'approval' }>[] = []
  const opened = await setup.open(loosening, model, (question) => {
    if (question.kind === 'approval' && question.restriction !== null) asked.push(question)
  })
  const conversation = opened.runtime.conversation()
  // More than any mode of the agent allows.
  conversation.setMode({ name: 'all', allow: ['*'] })
  return { ...opened, conversation, asked, attempts }
}

describe.each(Object.entries(loosenings))('with %s, a model that wants more permissions', (_, loosening) => {
  test('needs a person each time, in every way', async () => {
    const { conversation, asked } = await open(loosening)
    const before = setup.content()
    for (const [way, call] of Object.entries(ways)) {
      const results = await conversation.execute(callsOf(call))
      const ofTargets = new Set(asked.splice(0).map(({ callId }) => callId))
      expect([...ofTargets].sort(), way).toEqual([...targets].sort())
      const done = results.filter(({ status }) => status === 'success').map(({ id }) => id)
      expect(loosening.terminal === undefined ? done : done.filter((id) => id !== approved)).toEqual([])
    }
    if (loosening.terminal !== undefined) setup.write(approved, '')
    expect(changesSince(before)).toEqual([])
  })

  test('and in a subagent', async () => {
    const { agent, asked, attempts, runtime } = await open(loosening)
    const before = setup.content()
    for await (const event of agent.send('Go')) void event
    const inside = runtime.getSnapshot().calls.filter(({ parentUid }) => parentUid !== null)
    expect(inside).toHaveLength(attempts.length)
    expect(asked).toHaveLength(attempts.length)
    if (loosening.terminal !== undefined) setup.write(approved, '')
    expect(changesSince(before)).toEqual([])
  })
})

test('a link that an earlier call of the batch creates is noticed', async () => {
  const { conversation } = await open({ yes: true, allow: everything })
  const before = setup.content()
  const write = (path: string) => ({ id: path, name: 'write_file', params: { path, content: 'x' } })
  // What a command computes is not noticed, but where it leads is.
  const run = (command: string) => ({ id: command, name: 'run_command', params: { command } })
  const results = await conversation.execute([
    run('dot=.; ln -s "$dot"curfew inner; ln -s "$dot"git/hooks other'),
    write('inner/config.json'),
    write('other/post-commit'),
    run('cp src/ordinary.txt inner/config.json'),
    { id: 'nice', name: 'nice', params: { command_args: ['cp', 'src/ordinary.txt', setup.path('inner/x')] } },
    { id: 'image', name: 'generate_image', params: { prompt: 'x', path: 'inner/x.png' } },
  ])
  expect(results[0]).toMatchObject({ status: 'success' })
  for (const result of results.slice(1)) expect(result).toMatchObject({ code: 'DENIED' })
  expect(changesSince(before)).toEqual([setup.path('inner'), setup.path('other')])
})

test('long results of other projects cannot be read, and old ones are removed', async () => {
  const folder = '~/.local/state/curfew/results'
  setup.write(`${folder}/curfew-1-2-3-read.txt`, 'of another project')
  setup.write(`${folder}/0123456789abcdef/curfew-1-2-3-read.txt`, 'of another project')
  setup.write(`${folder}/fedcba9876543210/curfew-1-2-3-read.txt`, 'old')
  utimesSync(setup.path(`${folder}/fedcba9876543210`), 0, 0)
  const { model } = await prompts.serve([])
  const opened = await setup.open({ yes: true, allow: everything }, model, undefined, [])
  const results = await opened.runtime.execute(
    ['', '/0123456789abcdef', '/curfew-1-2-3-read.txt', '/0123456789abcdef/curfew-1-2-3-read.txt'].map(
      (path) => ({
        id: path,
        name: path.endsWith('.txt') ? 'read_file' : 'list_directory',
        params: { path: setup.path(folder) + path },
      }),
    ),
  )
  for (const result of results) expect(result).toMatchObject({ code: 'DENIED' })
  await until(() => !existsSync(setup.path(`${folder}/fedcba9876543210`)))
  expect(existsSync(setup.path(`${folder}/0123456789abcdef`))).toBe(true)
})

function changesSince(before: Readonly<Record<string, string>>): readonly string[] {
  const after = setup.content()
  const paths = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...paths].filter((path) => before[path] !== after[path]).sort()
}
