import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { loadAgentFiles } from '@curfew/agent/tools'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'curfew-agents-'))
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, text: string | Buffer, root = 'project'): void {
  const file = join(folder, root, 'agents', name)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

const load = async (...sources: ('user' | 'project')[]) =>
  await loadAgentFiles(sources.map((source) => ({ folder: join(folder, source), source })))

const valid = '---\ndescription: Review code.\n---\nYou review code.'

test('reads an agent', async () => {
  const lines = [
    'name: code-reviewer',
    'description: "Review code."',
    'tools: [read_file, "search_*"]',
    'model: google:gemini-pro-latest',
    'mode: plan',
    'timeout: 20m',
  ]
  write('reviewer.md', `---\n${lines.join('\n')}\n---\n\nYou review code.\n`)
  expect(await load('project')).toEqual({
    agents: [
      {
        name: 'code-reviewer',
        description: 'Review code.',
        instructions: 'You review code.',
        tools: ['read_file', 'search_*'],
        model: 'google:gemini-pro-latest',
        mode: 'plan',
        timeoutMs: 1_200_000,
        source: 'project',
      },
    ],
    problems: [],
  })
})

test('the name is that of the file; a missing folder is empty', async () => {
  write('review/security.md', valid)
  const { agents } = await load('user', 'project')
  expect(agents.map(({ name }) => name)).toEqual(['review-security'])
})

test('a project cannot replace an agent of the user', async () => {
  write('reviewer.md', valid.replace('Review code.', 'Mine.'), 'user')
  write('reviewer.md', valid)
  const { agents, problems } = await load('user', 'project')
  expect(agents.map(({ description, source }) => [description, source])).toEqual([['Mine.', 'user']])
  expect(problems).toMatchObject([{ message: expect.stringContaining('another file describes reviewer') }])
})

test.each<[string, string, number | null, string]>([
  ['no front matter', 'You review.', 1, 'description: missing'],
  ['no instructions', '---\ndescription: x\n---\n\n', 1, 'expected instructions'],
  ['an open front matter', '---\ndescription: x\n', 1, 'expected a closing line'],
  ['a name that is not one', '---\nname: ../../etc\ndescription: x\n---\nx', 2, 'name: expected letters'],
  ['a name with a line break', '---\nname: a\u2028b\ndescription: x\n---\nx', 2, 'expected key: value'],
  [
    'the name of the agent without a file',
    '---\nname: general\ndescription: x\n---\nx',
    2,
    'choose another name',
  ],
  ['no tool', '---\ndescription: x\ntools: ,\n---\nx', 3, 'tools: expected 1 to 100'],
  ['a tool that is not one', '---\ndescription: x\ntools: read file\n---\nx', 3, 'tools: expected names'],
  ['a nested list', '---\ndescription: x\ntools:\n  - a\n---\nx', 3, 'tools: expected a string on one line'],
  [
    'a server of its own',
    '---\ndescription: x\nmodel: google:a@https://evil.example\n---\nx',
    3,
    'cannot set a base URL',
  ],
  [
    'a model without a provider',
    '---\ndescription: x\nmodel: gpt\n---\nx',
    3,
    'model: expected provider:name',
  ],
  [
    'an unknown mode',
    '---\ndescription: x\nmode: yolo\n---\nx',
    3,
    'mode: expected one of plan, ask, accept-edits',
  ],
  ['a timeout without a unit', '---\ndescription: x\ntimeout: 5\n---\nx', 3, 'timeout: expected a duration'],
  [
    'a timeout of zero',
    '---\ndescription: x\ntimeout: 0s\n---\nx',
    3,
    'timeout: expected a duration greater than zero',
  ],
  [
    'a long description',
    `---\ndescription: ${'x'.repeat(501)}\n---\nx`,
    2,
    'description: expected at most 500',
  ],
  ['a key twice', '---\ndescription: x\ndescription: y\n---\nx', 3, 'duplicate key'],
])('%s is reported with file and line', async (_, text, line, message) => {
  write('bad.md', text)
  write('good.md', valid)
  const { agents, problems } = await load('project')
  expect(agents.map(({ name }) => name)).toEqual(['good'])
  expect(problems).toEqual([
    {
      severity: 'error',
      file: join(folder, 'project/agents/bad.md'),
      line,
      message: expect.stringContaining(message),
    },
  ])
})

test('an unknown key is a warning', async () => {
  write('a.md', valid.replace('---\n', '---\ncolor: red\n'))
  const { agents, problems } = await load('project')
  expect([agents.length, problems[0]]).toMatchObject([1, { severity: 'warning', line: 2 }])
})

test('what is not a text file is reported, and never waited for', async () => {
  write('large.md', Buffer.alloc(70_000, 120))
  write('binary.md', Buffer.from([0, 1, 2]))
  write('latin.md', Buffer.from([0xe9, 0x20]))
  write('ok.md', valid)
  const agents = join(folder, 'project/agents')
  execFileSync('mkfifo', [join(agents, 'pipe.md')])
  symlinkSync('/etc/passwd', join(agents, 'link.md'))
  mkdirSync(join(agents, 'folder.md'))
  const loaded = await load('project')
  expect(loaded.agents.map(({ name }) => name)).toEqual(['ok'])
  expect(loaded.problems.map(({ file }) => file.slice(agents.length + 1)).sort()).toEqual([
    'binary.md',
    'large.md',
    'latin.md',
    'link.md',
    'pipe.md',
  ])
})

test('invisible characters in a description are shown', async () => {
  write('a.md', '---\ndescription: safe\u202edangerous\n---\nx')
  const { agents } = await load('project')
  expect(agents[0]!.description).not.toContain('\u202e')
})

test('a timeout above the cap of subagents is a warning; the cap applies', async () => {
  write('long.md', valid.replace('\n---\nYou', '\ntimeout: 90m\n---\nYou'))
  const { agents, problems } = await load('project')
  expect(agents).toMatchObject([{ timeoutMs: 5_400_000 }])
  expect(problems).toEqual([
    {
      severity: 'warning',
      file: join(folder, 'project/agents/long.md'),
      line: 3,
      message: "timeout: 1 h 30 min exceeds the adapter's cap of 1 h, which applies",
    },
  ])
})
