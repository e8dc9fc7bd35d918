import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Ended, runCurfew } from './run-curfew.ts'
import { temporaryFolders } from './temporary-folders.ts'

let home: string
let project: string

temporaryFolders((folders) => {
  home = folders.home
  project = folders.project
})

const guide = readFileSync(new URL('../../../docs/tools-from-files.md', import.meta.url), 'utf8')
const blocks = (language: string): string[] =>
  [...guide.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, text]) => text!)

/** Runs the commands of a shell block, which have at most one quoted argument each. */
async function run(block: string): Promise<Ended[]> {
  const ended: Ended[] = []
  for (const line of block.trim().split('\n')) {
    const words = [...line.replace(/\s+#.*/, '').matchAll(/'([^']*)'|(\S+)/g)]
    const [program, ...args] = words.map(([, quoted, plain]) => quoted ?? plain!)
    expect(program).toBe('curfew')
    ended.push(await runCurfew(args, { HOME: home, XDG_CONFIG_HOME: '' }, project))
  }
  return ended
}

test('docs/tools-from-files.md works as written', { timeout: 120_000 }, async () => {
  const [create, call, curl, list] = blocks('sh')
  const [created, greeting] = await run(create!)
  expect(created).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(greeting!.stdout).value).toEqual({ greeting: 'Hello, you!' })

  const folder = join(project, '.curfew/extensions/scripts/weather')
  writeFileSync(join(folder, 'tool.json'), blocks('json')[0]!)
  writeFileSync(join(folder, 'script.js'), blocks('js')[0]!)
  const [byName, byJson] = await run(call!)
  const weather = { city: 'Oslo', weather: 'sunny', celsius: 21 }
  expect(JSON.parse(byName!.stdout)).toMatchObject({ status: 'success', value: weather, timeoutMs: 5_000 })
  expect(JSON.parse(byJson!.stdout)).toEqual(weather)

  expect(await run(curl!)).toMatchObject([{ code: 0 }])
  writeFileSync(join(project, '.curfew/extensions/apis/price.json'), blocks('json')[1]!)
  for (const listed of await run(list!)) {
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toContain('script_weather')
  }
})
