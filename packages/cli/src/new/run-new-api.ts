import { readFileSync } from 'node:fs'
import { storeSecretCommand } from '@curfew/core/internal'
import { UsageError } from '../command.ts'
import { write } from '../write.ts'
import { checkToolName } from './check-tool-name.ts'
import { type ApiDefinition, curlToApi, type TranslatedApi } from './curl-to-api.ts'
import { parseCurl } from './parse-curl.ts'
import { UnsupportedCommand } from './split-shell-words.ts'
import { writeStarter } from './write-starter.ts'

interface NewApiInput {
  readonly name: string
  readonly curl: string | undefined
  readonly user: boolean
}

/** `curfew new api`. Returns the exit code. */
export async function runNewApi({ name, curl, user }: NewApiInput): Promise<number> {
  write(await createApi(checkToolName('api', name), curl, user))
  return 0
}

async function createApi(name: string, curl: string | undefined, forUser: boolean): Promise<string> {
  const { definition, secrets, notes, secretsFor } =
    curl === undefined ? defaultApi(name) : convert(name, curl === '-' ? readFileSync(0, 'utf8') : curl)
  const text = `${JSON.stringify(definition, null, 2)}\n`
  const required = Object.entries(definition.parameters ?? {}).filter(([, parameter]) => parameter.required)
  const example = Object.fromEntries(required.map(([parameter]) => [parameter, '...']))
  const call = `curfew call api_${name}${required.length === 0 ? '' : ` '${JSON.stringify(example)}'`}`
  const written = await writeStarter(
    {
      place: ['apis', `${name}.json`],
      files: [{ name: '', text }],
      call,
      before: secrets.flatMap((secret) => [
        `it requires ${secret.content}, which is not in the file`,
        `store it first: ${storeSecretCommand(secret.name, secretsFor)}`,
      ]),
      changes: !['GET', 'HEAD'].includes(definition.endpoint.method),
    },
    forUser,
  )
  return [written, ...notes.map((note) => `${note}\n`)].join('')
}

function defaultApi(name: string): TranslatedApi {
  return { definition: apiStarter(name), secrets: [], notes: [], secretsFor: null }
}

function convert(name: string, curl: string): TranslatedApi {
  try {
    return curlToApi(name, parseCurl(curl))
  } catch (error) {
    if (!(error instanceof UnsupportedCommand)) throw error
    throw new UsageError(`curfew new api: unsupported curl command: ${error.message}`)
  }
}

/** A working API tool that needs no key. */
function apiStarter(name: string): ApiDefinition {
  return {
    name,
    description: 'Get information about a GitHub repository.',
    endpoint: {
      url: 'https://api.github.com/repos/{owner}/{repo}',
      method: 'GET',
      timeout: 20,
    },
    parameters: {
      owner: { type: 'string', description: 'The owner of the repository.', default: 'nodejs' },
      repo: { type: 'string', description: 'The name of the repository.', default: 'undici' },
    },
    response: { format: 'json' },
  }
}
