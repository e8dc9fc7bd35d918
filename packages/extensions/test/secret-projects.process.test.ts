import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, type CallResult, createRuntime, type Question } from '@curfew/core'
import { loadExtensions, openVault } from '@curfew/extensions'
import { expect, test } from 'vitest'
import { home, project, script, shell, user } from './support/script-home.ts'
import { canary, fileOptions, openStore } from './support/secret-folder.ts'

const keyed = { description: 'Deploy it.', secrets: ['DEPLOY_KEY'] }
const printsLength = shell('printf "%s" "$DEPLOY_KEY" | wc -c')

const folderOf = (name: string): string => join(realpathSync(project), name)
const useOf = (name: string): string => `tool:script_deploy@${folderOf(name)}/.curfew`

/** Two projects with a script of the same name. */
function projects(...names: string[]): void {
  for (const name of names) script('deploy', keyed, printsLength, join(folderOf(name), '.curfew'))
}

/** Calls a tool in a folder, with trusted project files. */
async function callIn(
  folder: string,
  answer: Answer,
  name = 'script_deploy',
): Promise<{ result: CallResult; questions: readonly Question[] }> {
  const { tools } = await loadExtensions({ cwd: folder, env: { HOME: home, CURFEW_TRUST: '1' } })
  const questions: Question[] = []
  const runtime = createRuntime({
    approval: 'allow',
    vault: openVault(fileOptions()),
    log: () => {},
    ask: (question) => {
      questions.push(question)
      return answer
    },
  })
  runtime.register(tools.map(({ tool }) => tool))
  const [result] = await runtime.execute([{ id: '1', name, params: {} }])
  await runtime.close()
  return { result: result!, questions }
}

test('a secret of a project is not given to the tool of the same name in another project', async () => {
  projects('shop', 'evil')
  const first = await callIn(folderOf('shop'), { secret: canary })
  expect(first.result).toMatchObject({ status: 'success', value: canary.length })
  expect(first.questions).toMatchObject([{ kind: 'secret', use: useOf('shop') }])
  expect(first.questions[0]!.message).toContain(`for the tool script_deploy of ${folderOf('shop')}:`)
  expect(await (await openStore()).get('DEPLOY_KEY')).toEqual({ value: canary, uses: [useOf('shop')] })

  const other = await callIn(folderOf('evil'), 'no')
  expect(other.result).toMatchObject({ status: 'error', code: 'DENIED' })
  expect(other.questions).toMatchObject([{ kind: 'secret-use', use: useOf('evil'), uses: [useOf('shop')] }])
  expect(other.questions[0]!.message).toBe(
    `May the tool script_deploy of ${folderOf('evil')} use the secret DEPLOY_KEY? ` +
      `It was stored for the tool script_deploy of ${folderOf('shop')}.`,
  )
  expect(other.result.content).toContain(
    `curfew secret set DEPLOY_KEY --for 'script_deploy of ${folderOf('evil')}'`,
  )
})

test("a secret of the user's tool is not given to a project's tool of the same name, or vice versa", async () => {
  projects('shop')
  script('deploy', keyed, printsLength)
  const store = await openStore()
  await store.set('DEPLOY_KEY', { value: canary, uses: ['tool:script_deploy'] })
  const inProject = await callIn(folderOf('shop'), undefined)
  expect(inProject.result).toMatchObject({ code: 'DENIED' })
  expect(inProject.questions[0]!.message).toContain('It was stored for your tool script_deploy.')
  expect((await callIn(home, undefined)).result).toMatchObject({ status: 'success' })
  await store.set('DEPLOY_KEY', { value: canary, uses: [useOf('shop')] })
  expect((await callIn(home, undefined)).result).toMatchObject({ code: 'DENIED' })
  expect((await callIn(folderOf('shop'), undefined)).result).toMatchObject({ status: 'success' })
})

test('a project has its own secrets even if there is no other tool of that name', async () => {
  projects('shop')
  // How secrets were bound before projects were distinguished.
  await (await openStore()).set('DEPLOY_KEY', { value: canary, uses: ['tool:script_deploy'] })
  expect((await callIn(folderOf('shop'), 'no')).result).toMatchObject({ code: 'DENIED' })
})

test('a project is identified by its real path, and a nested one is separate', async () => {
  projects('shop', 'shop/vendor/lib')
  await (await openStore()).set('DEPLOY_KEY', { value: canary, uses: [useOf('shop')] })
  const link = join(home, 'link')
  symlinkSync(folderOf('shop'), link)
  mkdirSync(join(folderOf('shop'), 'src'))
  for (const folder of [link, join(link, 'src')])
    expect((await callIn(folder, 'no')).result).toMatchObject({ status: 'success' })
  expect((await callIn(join(link, 'vendor', 'lib'), 'no')).result).toMatchObject({ code: 'DENIED' })
})

test('a host has the same secrets in every project', async () => {
  const api = {
    description: 'Ask it.',
    endpoint: { url: 'http://127.0.0.1:9/x' },
    auth: { type: 'bearer', env: 'API_KEY' },
  }
  for (const root of [user(), ...['a', 'b'].map((name) => join(folderOf(name), '.curfew'))]) {
    mkdirSync(join(root, 'extensions', 'apis'), { recursive: true })
    writeFileSync(join(root, 'extensions', 'apis', 'ask.json'), JSON.stringify(api))
  }
  await (await openStore()).set('API_KEY', { value: canary, uses: ['host:127.0.0.1:9'] })
  for (const folder of [home, folderOf('a'), folderOf('b')]) {
    const { result, questions } = await callIn(folder, 'no', 'api_ask')
    expect(result).toMatchObject({ code: 'TRANSPORT_FAILED' })
    expect(questions).toEqual([])
  }
})
