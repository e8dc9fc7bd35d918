import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { createCheckpoints } from '@curfew/agent/tools'
import fc from 'fast-check'
import { expect } from 'vitest'
import { actions, readTree } from './checkpoint-setup.ts'

const names = ['a', 'b', 'A', 'x.log', 'ignored', '.env', 'n\nl', 'ü', 'git~1']
const path = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join('/'))
/** Often of the same length, which is harder to notice. */
const content = fc.constantFrom('1', '2', '3', 'a\r\n', 'b\n', '', 'x'.repeat(80))

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('write' as const), path, content }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('remove' as const), path }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('mode' as const), path, executable: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('link' as const),
      path,
      target: fc.constantFrom('a', 'b/a', '..', '../../outside', '/nonexistent'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('repository' as const), path }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('rules' as const),
      rules: fc.subarray(['*.log', 'ignored/', 'b']),
    }),
  },
  { weight: 4, arbitrary: fc.constant({ type: 'take' } as const) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('restore' as const), choice: fc.nat(20) }) },
  { weight: 1, arbitrary: fc.constant({ type: 'reopen' } as const) },
)

export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never
export const steps: fc.Arbitrary<Step[]> = fc.array(step, { minLength: 4, maxLength: 16 })

/** What the workspace was like at a checkpoint. */
interface Moment {
  readonly files: Readonly<Record<string, string>>
  readonly rules: readonly string[]
  /** The paths that are part of the checkpoint. */
  readonly covered: ReadonlySet<string>
  /** Folders with repositories of their own, which are not part of it. */
  readonly nested: readonly string[]
}

const maxFileBytes = 64

/** Runs the steps of a model and a person, and checks every restore against copies of the workspace. */
export async function runSteps(base: string, sequence: readonly Step[]): Promise<void> {
  const root = join(base, 'project')
  const folder = join(base, 'state')
  const outside = join(base, 'outside')
  mkdirSync(root, { recursive: true })
  mkdirSync(outside)
  writeFileSync(join(outside, 'a'), 'outside')
  const notices: string[] = []
  const open = () =>
    createCheckpoints({
      root,
      folder,
      conversation: 'test',
      isSecret: (path) => path.includes('/.env'),
      onNotice: (message) => notices.push(message),
      maxFileBytes,
    })
  let checkpoints = open()
  const moments = new Map<number, Moment>()
  /** Of the last snapshot, and what was restored since. What was covered stays covered, even if it is ignored later, or its folder becomes a repository. */
  let covered: ReadonlySet<string> = new Set()
  const observe = (): Moment => {
    const files = readTree(root)
    const rules = rulesOf(root)
    const nested = nestedIn(files).filter((folder) => ![...covered].some((path) => isInside(path, [folder])))
    covered = new Set(
      Object.keys(files)
        .filter((path) => !path.includes('/.git/') && !isExcluded(path, files[path]))
        .filter((path) => covered.has(path) || (!isIgnored(path, rules) && !isInside(path, nested))),
    )
    return { files, rules, covered, nested: nested.filter((folder) => !isIgnored(`${folder}/x`, rules)) }
  }
  const restore = async (number: number): Promise<number> => {
    const then = moments.get(number)!
    const now = observe()
    const { before, failed } = await actions(root, checkpoints).restore(number)
    const after = readTree(root)
    check(then, now, after, new Set(failed.map(({ path }) => path)))
    moments.set(before.number, now)
    const created = [...then.covered].filter((path) => !(path in now.files) && path in after)
    covered = new Set([...covered, ...created])
    return before.number
  }
  try {
    for (const one of sequence) {
      if (one.type === 'reopen') {
        await checkpoints.close()
        const [workspace] = existsSync(join(folder, 'checkpoints'))
          ? readdirSync(join(folder, 'checkpoints'))
          : []
        const marker = join(folder, 'checkpoints', workspace ?? '', 'collected')
        // The next process also removes what is not needed any more.
        if (existsSync(marker)) utimesSync(marker, 1, 1)
        checkpoints = open()
      } else if (one.type === 'take') {
        const now = observe()
        moments.set(await actions(root, checkpoints).take(), now)
      } else if (one.type === 'restore') {
        const numbers = [...moments.keys()]
        if (numbers.length === 0) continue
        const before = readTree(root)
        const rules = rulesOf(root)
        const undo = await restore(numbers[one.choice % numbers.length]!)
        if (one.choice % 2 === 0) {
          await restore(undo)
          // What is ignored there may have existed, so the files that the restore brought back stay.
          const after = Object.entries(readTree(root)).filter(
            ([path]) => before[path] !== undefined || !isIgnored(path, rules),
          )
          expect(Object.fromEntries(after), 'a restore can be undone').toEqual(before)
        }
      } else apply(root, one)
    }
    expect(notices).toEqual([])
    expect(readTree(outside)).toEqual({ a: 'file outside' })
  } finally {
    await checkpoints.close()
  }
}

function check(
  then: Moment,
  now: Moment,
  after: Readonly<Record<string, string>>,
  failed: ReadonlySet<string>,
): void {
  for (const path of new Set([...Object.keys(then.files), ...Object.keys(now.files)]))
    if (!failed.has(path)) expect(after[path], path).toBe(expectedFile(path, then, now))
}

function expectedFile(path: string, then: Moment, now: Moment): string | undefined {
  const existed = then.files[path] !== undefined
  const exists = now.files[path] !== undefined
  if (isInside(path, [...then.nested, ...now.nested])) return now.files[path]
  // It could not be brought back.
  if (exists && !now.covered.has(path)) return now.files[path]
  if (then.covered.has(path)) return then.files[path]
  if (isInTheWay(path, then.covered)) return undefined
  // It was not saved, so nothing is known about it.
  if (existed || isIgnored(path, then.rules)) return now.files[path]
  return undefined
}

/** It cannot have existed together with one of the files. */
function isInTheWay(path: string, files: ReadonlySet<string>): boolean {
  return [...files].some((file) => isInside(path, [file]) || isInside(file, [path]))
}

function isInside(path: string, folders: readonly string[]): boolean {
  return folders.some((folder) => path.startsWith(`${folder}/`))
}

function isExcluded(path: string, file: string | undefined): boolean {
  if (path.includes('.env')) return true
  // "file " and "executable " are not part of the content.
  return file !== undefined && file.length > maxFileBytes
}

function isIgnored(path: string, rules: readonly string[]): boolean {
  const parts = path.split('/')
  return rules.some((rule) => {
    if (rule === '*.log') return parts.some((part) => part.endsWith('.log'))
    if (rule === 'b') return parts.includes('b')
    return parts.slice(0, -1).includes('ignored')
  })
}

function rulesOf(root: string): string[] {
  const file = join(root, '.gitignore')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []
}

function nestedIn(files: Readonly<Record<string, string>>): string[] {
  return Object.keys(files)
    .filter((path) => path.endsWith('/.git/HEAD'))
    .map((path) => path.slice(0, -'/.git/HEAD'.length))
}

type Change = Exclude<Step, { type: 'take' | 'restore' | 'reopen' }>

function apply(root: string, change: Change): void {
  if (change.type === 'rules') return writeFileSync(join(root, '.gitignore'), change.rules.join('\n'))
  const file = join(root, change.path)
  if (change.type === 'remove' || change.type === 'mode') {
    // Neither of them reaches through a link.
    if (!hasParents(root, file)) return
    if (change.type === 'remove') rmSync(file, { recursive: true, force: true })
    else if (lstatSync(file, { throwIfNoEntry: false })?.isFile())
      chmodSync(file, change.executable ? 0o755 : 0o644)
    return
  }
  makeParents(root, file)
  if (change.type === 'repository') {
    if (!lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) rmSync(file, { force: true })
    mkdirSync(join(file, '.git/objects'), { recursive: true })
    mkdirSync(join(file, '.git/refs'), { recursive: true })
    writeFileSync(join(file, '.git/HEAD'), 'ref: refs/heads/main\n')
    writeFileSync(join(file, 'inside'), 'x')
    return
  }
  const isFile = lstatSync(file, { throwIfNoEntry: false })?.isFile()
  if (!isFile || change.type === 'link') rmSync(file, { recursive: true, force: true })
  if (change.type === 'link') symlinkSync(change.target, file)
  else writeFileSync(file, change.content)
}

function hasParents(root: string, file: string): boolean {
  const parent = dirname(file)
  if (parent === root) return true
  return hasParents(root, parent) && lstatSync(parent, { throwIfNoEntry: false })?.isDirectory() === true
}

/** Never through a link. */
function makeParents(root: string, file: string): void {
  const parent = dirname(file)
  if (parent === root) return
  makeParents(root, parent)
  if (lstatSync(parent, { throwIfNoEntry: false })?.isDirectory()) return
  rmSync(parent, { force: true })
  mkdirSync(parent)
}
