import { createRuntime } from '@curfew/core'
import { loadConfig, openVault } from '@curfew/extensions'
import { fromTool, reviewTools } from '@curfew/review'
import { afterAll, expect, test } from 'vitest'
import { agentTools } from '../src/agent/agent-tools.ts'
import { ChildModels } from '../src/agent/child-models.ts'

const env = { HOME: '/nonexistent', CURFEW_SECRET_STORE: 'file', CURFEW_PASSPHRASE: 'of the tests' }
const cwd = import.meta.dirname
const runtime = createRuntime({ log: () => {} })
afterAll(() => runtime.close())

const { tools } = await agentTools({
  config: await loadConfig({ cwd, env }),
  runtime,
  vault: openVault({ root: '/nonexistent', env }),
  models: new ChildModels(),
  system: '',
  cwd,
  addedFolders: [],
  editor: undefined,
  notify: () => {},
})
const reviews = new Map(reviewTools(tools.map((tool) => fromTool(tool))).tools.map((one) => [one.name, one]))

test.each(tools.map(({ name }) => name))('%s has no findings and the grade A', (name) => {
  const review = reviews.get(name)
  expect(review, JSON.stringify(review, null, 1)).toMatchObject({
    grade: 'A',
    findings: [],
    score: { smells: [] },
  })
})
