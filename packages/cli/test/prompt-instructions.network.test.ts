import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answer, call, PromptSetup } from './prompt-support.ts'
import { ending } from './run-curfew.ts'

const setup = new PromptSetup()
const skill = (name: string) =>
  `---\nname: ${name}\ndescription: Describes ${name}.\n---\nThe text of ${name}.\n`

function writeSkill(folder: string, name: string): void {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, 'SKILL.md'), skill(name))
}

describe('instructions of the user and of the project', () => {
  it('AGENTS.md and skills are part of the system prompt', async () => {
    setup.writeUser('AGENTS.md', 'from the user')
    writeFileSync(join(setup.project, 'AGENTS.md'), 'from the project')
    writeSkill(join(setup.home, '.config/curfew/skills'), 'mine')
    writeSkill(join(setup.home, '.agents/skills'), 'shared')
    writeSkill(join(setup.project, '.agents/skills'), 'theirs')
    writeSkill(join(setup.project, '.curfew/skills'), 'also-theirs')
    const { code, server } = await setup.prompt(
      [call('load_skill', { name: 'theirs' }), answer('ok')],
      '-p',
      'hello',
    )
    expect(code).toBe(0)
    const [first, second] = server.requests.map(({ body }) => JSON.stringify(body))
    expect(first).toMatch(
      /from the user.*from the project.*- mine: Describes mine.*- shared:.*- theirs:.*- also-theirs:/,
    )
    expect(second).toContain('The text of theirs.')
  })

  it('skills of a project that is not trusted are ignored', async () => {
    writeSkill(join(setup.project, '.agents/skills'), 'theirs')
    const { server, model } = await setup.serve([answer('ok')])
    const args = ['-p', 'hello', '--model', model]
    const ended = await ending(setup.start(args, 'ignore', { CURFEW_TRUST: '' }))
    expect(ended.code).toBe(0)
    expect(ended.stderr).toMatch(/\.agents\/skills is ignored, because its skills are instructions/)
    expect(JSON.stringify(server.requests[0]!.body)).not.toContain('theirs')
  })

  it('/memory shows the files and adds to them; the model needs the approval of a person', async () => {
    const file = join(setup.home, '.config/curfew/AGENTS.md')
    setup.writeUser('AGENTS.md', '- Prefers tabs.\n')
    const { server } = await setup.prompt(
      [call('save_memory', { fact: 'Pass --yes.' }), answer('ok')],
      '-p',
      'remember this',
      '--allow',
      'save_memory',
      '--yes',
    )
    expect(JSON.stringify(server.requests.at(-1)!.body)).toContain('needs the approval of a person')
    expect(readFileSync(file, 'utf8')).toBe('- Prefers tabs.\n')
    expect((await setup.run('-p', '/memory')).stdout).toMatch(/AGENTS\.md +user +\d+ bytes/)
    expect(await setup.run('-p', '/memory add Uses npm.')).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8')).toContain('- Uses npm.')
  })

  it('without approval, nothing is saved or fetched', async () => {
    const { server } = await setup.prompt(
      [call('save_memory', { fact: 'x' }), call('fetch_url', { url: 'https://example.com/' }), answer('ok')],
      '-p',
      'hello',
    )
    const last = JSON.stringify(server.requests.at(-1)!.body)
    expect(last.match(/DENIED/g)!.length).toBeGreaterThanOrEqual(2)
  })
})

describe('the web', () => {
  async function startPage(): Promise<number> {
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Title</h1><p>Some <b>text</b>'),
    )
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => void server.close())
    return (server.address() as AddressInfo).port
  }

  it('@url adds a page as Markdown, if fetchAllow contains its private address', async () => {
    const port = await startPage()
    setup.writeUser('config.json', { fetchAllow: [`127.0.0.1:${port}`] })
    const { server } = await setup.prompt([answer('ok')], '-p', `summarize @http://127.0.0.1:${port}/`)
    expect(JSON.stringify(server.requests[0]!.body)).toContain('# Title\\n\\nSome **text**')
  })

  it('a project cannot allow a private address', async () => {
    const port = await startPage()
    setup.write('config.json', { fetchAllow: ['127.0.0.1'] })
    const { stderr, server } = await setup.prompt(
      [call('fetch_url', { url: `http://127.0.0.1:${port}/` }), answer('ok')],
      '-p',
      `@http://127.0.0.1:${port}/`,
      '--yes',
    )
    expect(stderr).toMatch(/fetchAllow: a project cannot allow requests to private addresses/)
    expect(stderr).toMatch(/could not be read: DENIED/)
    expect(JSON.stringify(server.requests.at(-1)!.body)).toMatch(/DENIED.*loopback/)
  })
})
