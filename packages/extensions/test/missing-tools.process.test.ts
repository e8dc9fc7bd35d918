import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from '@curfew/core'
import { expect, test } from 'vitest'
import { described, load, script, shell, user } from './support/script-home.ts'

function api(name: string, text: string): void {
  const folder = join(user(), 'extensions', 'apis')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.json`), text)
}

test('the error for a tool that could not be loaded contains the problem of its file', async () => {
  script('broken', { description: 7 }, shell('echo never'))
  script('folder', { ...described, name: 'renamed' }, {})
  script('fine', { ...described, timout: 3 }, shell('echo fine'))
  api('issues', '{ "description": ')
  const { tools, options } = await load()
  const runtime = createRuntime({ ...options, approval: 'allow', log: () => {} })
  runtime.register(tools.map(({ tool }) => tool))
  const call = async (name: string): Promise<unknown> => (await runtime.execute([{ id: '1', name }]))[0]
  const scripts = join(user(), 'extensions', 'scripts')
  expect(await call('script_broken')).toMatchObject({
    code: 'TOOL_NOT_FOUND',
    message: `script_broken could not be loaded: ${scripts}/broken/tool.json: description: must be string`,
  })
  expect(await call('script_renamed')).toMatchObject({
    message: expect.stringMatching(/^script_renamed could not be loaded: \S+\/folder: has no script; /),
  })
  expect(await call('api_issues')).toMatchObject({
    message: expect.stringMatching(/^api_issues could not be loaded: \S+issues\.json: is not JSON: /),
  })
  expect(await call('script_fine')).toMatchObject({ value: 'fine' })
  expect(await call('script_brokn')).toMatchObject({
    message: 'name: unknown tool "script_brokn"; did you mean "script_broken"?',
  })
  await runtime.close()
})

test('missingTools must be a Map', () => {
  expect(() => createRuntime({ missingTools: {} as never })).toThrow('missingTools: expected a Map')
})
