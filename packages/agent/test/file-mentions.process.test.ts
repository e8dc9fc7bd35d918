import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { completePath, fileResolvers, parseInput, resolveMentions } from '@curfew/agent'
import { createWorkspace, fileTools, searchTools } from '@curfew/agent/tools'
import { createRuntime, type RuntimeOptions } from '@curfew/core'
import { expect, onTestFinished, test } from 'vitest'

function setUp(files: Readonly<Record<string, string>>, folder = '.', options: RuntimeOptions = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'curfew-mentions-')))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const workspace = createWorkspace({ root })
  const runtime = createRuntime({ log: () => {}, ...options })
  runtime.register([...fileTools(workspace), ...searchTools(workspace)])
  onTestFinished(async () => {
    await runtime.close()
    rmSync(root, { recursive: true, force: true })
  })
  const called: unknown[] = []
  const agent = {
    async runAsPerson(
      call: { readonly name: string; readonly params: unknown },
      options?: { signal?: AbortSignal | undefined },
    ) {
      called.push(call)
      const [result] = await runtime.execute([{ id: String(called.length), ...call }], options)
      return result!
    },
  }
  return {
    root,
    workspace,
    called,
    async resolve(text: string) {
      const parsed = parseInput(text)
      if (parsed.type !== 'prompt') throw new Error('not a prompt')
      const resolvers = fileResolvers({ agent, workspace, folder: join(root, folder) })
      const { parts, unresolved } = await resolveMentions(
        parsed.mentions,
        resolvers,
        new AbortController().signal,
      )
      return {
        text: parts.map((part) => (part.type === 'text' ? part.text : part.mediaType)).join('\n'),
        unresolved: unresolved.map(({ mention, message }) => [mention.text, message]),
      }
    },
  }
}

test('@path reads a file, a range or a folder', async () => {
  const { resolve } = setUp({ 'src/a.ts': 'one\ntwo\nthree\n', 'my file.txt': 'spaces', 'odd:1': 'colon' })
  expect(await resolve('see @src/a.ts:2-3, please')).toEqual({
    text: expect.stringContaining('Content of @src/a.ts:2-3:\n2\ttwo\n3\tthree'),
    unresolved: [],
  })
  expect((await resolve('@src/a.ts:2')).text).not.toContain('three')
  expect((await resolve('@"my file.txt"')).text).toContain('spaces')
  expect((await resolve('@odd:1')).text).toContain('colon')
  expect((await resolve('@src')).text).toContain('a.ts')
  expect(await resolve('@nothing @src:2 @src/a.ts:3-1')).toEqual({
    text: '',
    unresolved: [
      ['@nothing', null],
      ['@src:2', null],
      ['@src/a.ts:3-1', null],
    ],
  })
})

test('relative paths start at the current folder, then at the root', async () => {
  const { resolve } = setUp({ 'sub/a.ts': 'inner', 'a.ts': 'outer', 'b.ts': 'root' }, 'sub')
  expect((await resolve('@a.ts')).text).toContain('inner')
  expect((await resolve('@b.ts')).text).toContain('root')
  expect((await resolve('@*.ts')).text).toBe(
    'Content of @*.ts:\nsub/a.ts:\n1\tinner\n\n[no line feed at the end of the file]',
  )
})

test('@glob reads a limited number of files and says what was left out', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 90 }, (_, number) => [`f${100 + number}.md`, `text ${number}\n`]),
  )
  const { resolve, called } = setUp({ ...files, 'app/[id]/page.ts': 'page\n' })
  const { text } = await resolve('@*.md')
  expect(called).toHaveLength(21)
  expect(text).toContain('f119.md:\n1\ttext 19')
  expect(text).toContain(
    '[These 70 files match as well, but were left out; read them with read_file if you need them:\nf120.md\n',
  )
  expect(text).toContain('f169.md\n... and 20 more]')
  expect((await resolve('@app/[id]/page.ts')).text).toContain('page')
  expect(await resolve('@*.py')).toEqual({ text: '', unresolved: [['@*.py', null]] })
})

test('@glob reads a limited number of characters', async () => {
  const { resolve, called } = setUp(
    Object.fromEntries([1, 2, 3, 4, 5, 6].map((n) => [`${n}.txt`, `${'x'.repeat(99)}\n`.repeat(590)])),
  )
  const { text } = await resolve('@*.txt')
  expect(text.length).toBeLessThan(300_000)
  expect(called).toHaveLength(5)
  expect(text).toContain('[These 2 files match as well')
})

test('nothing is read that is secret, outside or denied by a rule', async () => {
  const { resolve, root } = setUp(
    { '.env': 'TOKEN=1234', 'a.pem': 'TOKEN=1234', 'private/a.md': 'TOKEN=1234', 'b.md': 'open' },
    '.',
    {
      approval: { rules: { deny: ['read_file(*private*)'] } },
    },
  )
  writeFileSync(join(root, '..', 'curfew-mentions-outside.txt'), 'TOKEN=1234')
  onTestFinished(() => rmSync(join(root, '..', 'curfew-mentions-outside.txt')))
  const { text, unresolved } = await resolve(
    '@.env @*.pem @private/a.md @**/*.md @../curfew-mentions-outside.txt',
  )
  expect(text).not.toContain('1234')
  expect(text).toContain('open')
  expect(text).toContain('private/a.md:\n[It could not be read: ')
  expect(unresolved.map(([mention]) => mention)).toEqual([
    '@.env',
    '@private/a.md',
    '@../curfew-mentions-outside.txt',
  ])
})

test('completes paths inside of the workspace', () => {
  const { root, workspace } = setUp({ 'src/a.ts': '', 'src/.b': '', 'sub.md': '', '.git/x': '' })
  const complete = (typed: string): string[] => completePath(typed, root, workspace)
  expect(complete('s')).toEqual(['src/', 'sub.md'])
  expect(complete('src/')).toEqual(['src/a.ts'])
  expect(complete('src/.')).toContain('src/.b')
  expect(complete('.g')).toEqual([])
  expect(complete('../')).toEqual([])
  expect(complete('nothing/')).toEqual([])
})
