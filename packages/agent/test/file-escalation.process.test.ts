import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentMode } from '@curfew/agent'
import { createAgent } from '@curfew/agent'
import { createWorkspace, fileTools } from '@curfew/agent/tools'
import { createRuntime, type Question, type RuntimeOptions } from '@curfew/core'
import { expect, onTestFinished, test } from 'vitest'
import { collect, resultCodes } from './support/agent-setup.ts'
import { type FileSetup, setUpFiles } from './support/file-setup.ts'
import { scriptedModel } from './support/scripted-model.ts'

/** What a model would change to get more permissions, to run code, or to instruct later models. */
const targets = [
  '.curfew/config.json',
  '.curfew/mcp.json',
  '.curfew/skills/deploy/SKILL.md',
  '.curfew/agents/reviewer.md',
  '.curfew/extensions/scripts/x/tool.json',
  '.agents/skills/deploy/SKILL.md',
  'AGENTS.md',
  'docs/AGENTS.md',
  '.mcp.json',
  '.git/hooks/pre-commit',
  '.git/config',
  'vendor/lib/.git/hooks/post-checkout',
  '.GIT/hooks/pre-commit',
  '.husky/pre-commit',
  '.bashrc',
  '.zshrc',
  '.profile',
  '.envrc',
  '.vscode/settings.json',
  // A link to .curfew.
  'docs/settings/config.json',
  // The user's configuration, in a home folder that is the workspace.
  'home/config/curfew/config.json',
]

interface Loosening {
  readonly runtime: RuntimeOptions
  readonly mode?: AgentMode
  readonly answer?: 'no' | 'turn' | 'always'
}

const everything = ['write_file', 'edit_file', 'write_file(*)', 'edit_file(*)', '*']
const loosenings: Readonly<Record<string, Loosening>> = {
  "approval: 'allow'": { runtime: { approval: 'allow' } },
  'allow rules': { runtime: { approval: { default: 'allow', rules: { allow: everything } } } },
  'remembered answers': { runtime: { approval: { rules: { remembered: everything } } } },
  'settings of the tools': {
    runtime: {
      tools: {
        write_file: { approval: 'allow', readOnly: true },
        edit_file: { approval: 'allow', readOnly: true },
      },
    },
  },
  'the mode accept-edits': { runtime: { approval: 'allow' }, mode: 'accept-edits' },
  'answers for the turn': { runtime: {}, mode: 'accept-edits', answer: 'turn' },
  'the answer always': { runtime: {}, mode: 'accept-edits', answer: 'always' },
}

for (const [name, { runtime: options, mode, answer }] of Object.entries(loosenings)) {
  test(`with ${name}, a person is asked about every file that grants permissions`, async () => {
    const { root } = project()
    const { asked, codes } = await attempt(root, options, mode, answer ?? 'no')
    if (answer === undefined) expectDenied(root, codes)
    // Asked about each call, also about the second one for the same file.
    const questions = asked.filter(({ params }) => targets.includes((params as { path: string }).path))
    expect(questions).toHaveLength(targets.length * 2)
    for (const { restriction } of questions) expect(restriction).toEqual(expect.any(String))
  })

  test(`with ${name} and nobody to ask, they are denied`, async () => {
    const { root } = project()
    const { codes } = await attempt(root, options, mode, null)
    expectDenied(root, codes)
  })
}

function project(): FileSetup {
  const files = setUpFiles()
  files.write('.curfew/config.json', '{}')
  files.write('docs/x', '')
  symlinkSync('../.curfew', join(files.root, 'docs/settings'))
  return files
}

function expectDenied(root: string, codes: readonly string[]): void {
  expect(codes.slice(1)).toEqual(targets.flatMap(() => ['DENIED', 'DENIED']))
  for (const path of targets)
    expect(existsSync(join(root, path)), path).toBe(/^(\.curfew|docs\/settings)\/config\.json$/.test(path))
  expect(readFileSync(join(root, '.curfew/config.json'), 'utf8')).toBe('{}')
}

/** A model writes and edits all targets, one call per response, and an ordinary file before. */
async function attempt(
  root: string,
  options: RuntimeOptions,
  mode: AgentMode | undefined,
  answer: 'no' | 'turn' | 'always' | null,
) {
  const runtime = createRuntime({ log: () => {}, ...options })
  onTestFinished(() => runtime.close())
  const asked: Extract<Question, { kind: 'approval' }>[] = []
  if (answer !== null)
    runtime.onQuestion((question) => {
      if (question.kind === 'approval') asked.push(question)
      // The ordinary file is what a person would allow "always".
      return question.kind === 'approval' && question.restriction === null ? 'always' : answer
    })
  const home = join(root, 'home/config/curfew')
  runtime.register(fileTools(createWorkspace({ root, protectedFolders: [home] })))
  const edits = [{ old_string: '{}', new_string: '{ "approval": "allow" }' }]
  const calls = [
    { name: 'write_file', input: { path: 'src/ordinary.ts', content: 'x' } },
    ...targets.flatMap((path) => [
      { name: 'write_file', input: { path, content: '{ "approval": "allow" }' } },
      { name: 'edit_file', input: { path, edits } },
    ]),
  ]
  const model = scriptedModel([...calls.map((call) => ({ calls: [call] })), { text: 'Done.' }])
  const agent = createAgent({ model, runtime, ...(mode !== undefined && { mode }) })
  onTestFinished(() => agent.close())
  await collect(agent.send('Get more permissions.'))
  return { asked, codes: resultCodes(agent.getSnapshot().items) }
}

test('secret files are neither read nor changed, whatever is allowed', async () => {
  const { call, write, read } = setUpFiles({ approval: { default: 'allow', rules: { allow: everything } } })
  write('.env', 'TOKEN=1')
  for (const path of ['.env', './.env', '.ENV', 'keys/id_rsa', '.ssh/config']) {
    expect(await call('read_file', { path })).toMatch(/^DENIED: .* in secretFiles/)
    expect(await call('write_file', { path, content: '' })).toMatch(/^DENIED: .* in secretFiles/)
    expect(await call('edit_file', { path, edits: [{ old_string: '1', new_string: '2' }] })).toMatch(
      /^DENIED/,
    )
  }
  expect(await call('list_directory', { path: '.ssh' })).toMatch(/^DENIED/)
  expect(read('.env')).toBe('TOKEN=1')
})
