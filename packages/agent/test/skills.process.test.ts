import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { loadSkills, loadSkillTool, skillsPrompt } from '@curfew/agent/tools'
import { createRuntime } from '@curfew/core'
import { fromTool, reviewTools } from '@curfew/review'
import { expect, onTestFinished, test } from 'vitest'
import { memorySetup } from './support/memory-setup.ts'

const skill = (name: string, description = 'Does something.', body = 'Do it.') =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`

function setUp(files: Record<string, string | Buffer> = {}) {
  const { path } = memorySetup(files)
  const roots = [
    { folder: path('user/skills') },
    { folder: path('project/.agents/skills'), project: path('project') },
  ]
  const load = () => loadSkills(roots)
  const call = async (name: string) => {
    const runtime = createRuntime({ log: () => {} })
    onTestFinished(() => runtime.close())
    runtime.register(loadSkillTool(load().skills))
    const [result] = await runtime.execute([{ id: '1', name: 'load_skill', params: { name } }])
    return result!
  }
  return { path, load, call }
}

/** `file:line: message`, below the temporary folder. */
function lines({ problems }: ReturnType<typeof loadSkills>, folder: string): string[] {
  const base = `${folder}/`
  return problems.map(
    ({ file, line, message }) => `${file.replace(base, '')}:${line}: ${message.replace(base, '')}`,
  )
}

test('the tool has no findings and the grade A', () => {
  const [review] = reviewTools([fromTool(loadSkillTool([]))]).tools
  expect(review, JSON.stringify(review, null, 1)).toMatchObject({
    grade: 'A',
    findings: [],
    score: { smells: [] },
  })
})

test('are listed by name and description, and loaded with the list of their files', async () => {
  const { load, call, path } = setUp({
    'user/skills/pdf/SKILL.md': skill('pdf', 'Fills in PDF forms.', '# How\nRun scripts/fill.py.'),
    'user/skills/pdf/scripts/fill.py': '',
    'user/skills/pdf/reference.md': '',
    'project/.agents/skills/deploy/SKILL.md': skill('deploy', 'Deploys this project.'),
    'user/skills/README.md': 'not a skill',
    'user/skills/empty/other.md': 'not a skill',
  })
  expect(load().problems).toEqual([])
  expect(skillsPrompt(load().skills)).toMatch(
    /\n- pdf: Fills in PDF forms\.\n- deploy: Deploys this project\.$/,
  )
  const { content } = await call('pdf')
  expect(content).toBe(
    `Skill pdf, in the folder ${path('user/skills/pdf')}\nOther files in it:\n- reference.md\n- scripts/fill.py\n\n# How\nRun scripts/fill.py.`,
  )
})

test("a user's skill wins over a project's", async () => {
  const { load, call, path } = setUp({
    'user/skills/pdf/SKILL.md': skill('pdf', 'Mine.', 'mine'),
    'project/.agents/skills/pdf/SKILL.md': skill('pdf', 'Theirs.', 'theirs'),
  })
  expect(load().skills.map(({ description }) => description)).toEqual(['Mine.'])
  expect(lines(load(), path(''))).toEqual([
    'project/.agents/skills/pdf/SKILL.md:null: is ignored: user/skills/pdf has a skill with the same name',
  ])
  expect((await call('pdf')).content).toContain('mine')
})

test.each([
  ['no front matter', 'Do it.', '1: expected name: in the front matter, between two lines ---'],
  ['no description', '---\nname: x\n---\n', '1: expected description: in the front matter'],
  ['an empty description', skill('x', ''), '3: description: expected 1 to 1024 characters, got 0'],
  [
    'a long description',
    skill('x', 'y'.repeat(1_025)),
    '3: description: expected 1 to 1024 characters, got 1025',
  ],
  [
    'a description in several lines',
    '---\nname: x\ndescription: |\n  a\n---\n',
    '3: description: expected a string',
  ],
  ['another name', skill('y'), '2: name: expected the name of the folder, "x", got y'],
  ['a path as the name', skill('../x'), '2: name: expected lower-case letters'],
  ['no end', '---\nname: x\n', '1: expected a closing line ---'],
  ['not a field', '---\nname: x\n?\n---\n', '3: expected key: value'],
  ['more than 64 KiB', skill('x', 'a', 'y'.repeat(70_000)), 'null: expected at most 65536 bytes'],
  ['10 MB', Buffer.alloc(10_000_000, '-'), 'null: expected at most 65536 bytes, got 10000000'],
  ['not UTF-8', Buffer.from([0xff]), 'null: is not encoded as UTF-8'],
])('an invalid file is reported with its line: %s', (_what, content, problem) => {
  const { load, path } = setUp({ 'user/skills/x/SKILL.md': content, 'user/skills/ok/SKILL.md': skill('ok') })
  const loaded = load()
  expect(loaded.skills.map(({ name }) => name)).toEqual(['ok'])
  expect(lines(loaded, path(''))).toEqual([expect.stringContaining(`user/skills/x/SKILL.md:${problem}`)])
})

test('hostile: pipes, folders and loops of links do not hang', () => {
  const { load, path } = setUp({ 'user/skills/folder/SKILL.md/x': '' })
  mkdirSync(path('user/skills/pipe'))
  execFileSync('mkfifo', [path('user/skills/pipe/SKILL.md')])
  symlinkSync(path('user/skills/loop'), path('user/skills/loop'))
  const loaded = load()
  expect(loaded.skills).toEqual([])
  expect(lines(loaded, path(''))).toEqual([
    'user/skills/folder/SKILL.md:null: is not a file',
    'user/skills/loop/SKILL.md:null: is a loop of links',
    'user/skills/pipe/SKILL.md:null: is not a file',
  ])
})

test('hostile: links of a project that lead out are ignored, also if they are replaced later', async () => {
  const { load, path } = setUp({
    'outside/secret/SKILL.md': skill('secret'),
    'outside/file.md': skill('file'),
    'project/.agents/skills/file/x': '',
    'project/.agents/skills/inside/SKILL.md': skill('inside'),
    'project/shared/linked/SKILL.md': skill('linked'),
  })
  symlinkSync(path('outside/secret'), path('project/.agents/skills/secret'))
  symlinkSync(path('outside/file.md'), path('project/.agents/skills/file/SKILL.md'))
  symlinkSync(path('project/shared/linked'), path('project/.agents/skills/linked'))
  symlinkSync('/etc', path('project/.agents/skills/inside/etc'))
  const loaded = load()
  expect(loaded.skills.map(({ name }) => name)).toEqual(['inside', 'linked'])
  expect(lines(loaded, path(''))).toEqual([
    'project/.agents/skills/file/SKILL.md:null: is a link that leads out of the project',
    'project/.agents/skills/secret/SKILL.md:null: is a link that leads out of the project',
  ])
  const runtime = createRuntime({ log: () => {} })
  onTestFinished(() => runtime.close())
  runtime.register(loadSkillTool(loaded.skills))
  const call = async () =>
    (await runtime.execute([{ id: '1', name: 'load_skill', params: { name: 'inside' } }]))[0]!
  expect((await call()).content).toContain('Other files in it:\nnone')
  execFileSync('ln', ['-sf', path('outside/file.md'), path('project/.agents/skills/inside/SKILL.md')])
  expect((await call()).content).toContain('is a link that leads out of the project')
})

test('hostile: names are never paths, and invisible characters are shown', async () => {
  const { call, load } = setUp({
    'user/skills/x/SKILL.md': skill('x', 'a\u202eb', 'c\u0000\u{e0041}d'),
    'user/skills/x/\u001b[31m.md': '',
  })
  expect(load().skills[0]!.description).toBe('a\\u202eb')
  const { content } = await call('x')
  expect(content).toContain('c\\u0000\\u{e0041}d')
  expect(content).toContain('- \\u001b[31m.md')
  for (const name of ['../x', '/etc', 'X', 'y'])
    expect(await call(name)).toMatchObject({ status: 'error', code: 'INVALID_PARAMS' })
})

test('hostile: thousands of skills and files are bounded', async () => {
  const { path, load, call } = setUp()
  for (let index = 0; index < 150; index++) {
    const name = `s${String(index).padStart(3, '0')}`
    mkdirSync(path(`user/skills/${name}`), { recursive: true })
    writeFileSync(path(`user/skills/${name}/SKILL.md`), skill(name, 'x'.repeat(1_000)))
  }
  for (let index = 0; index < 200; index++) writeFileSync(path(`user/skills/s000/${index}`), '')
  const { skills, problems } = load()
  expect(skills).toHaveLength(100)
  expect(problems).toHaveLength(50)
  const prompt = skillsPrompt(skills)
  expect(prompt.length).toBeLessThan(13_000)
  expect(prompt).toMatch(/\[\d+ more skills are not listed\.\]$/)
  const { content } = await call('s000')
  expect(content.match(/^- \d+$/gm)).toHaveLength(100)
  expect(content).toContain('not all of them are listed')
})
