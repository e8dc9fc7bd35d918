import { readFileSync } from 'node:fs'
import { storeSecretCommand } from '@curfew/core/internal'
import { type Command, UsageError } from '../command.ts'
import { parseCommandLine } from '../parse-options.ts'
import { write } from '../write.ts'
import { apiStarter } from './api-starter.ts'
import { curlToApi, type TranslatedApi } from './curl-to-api.ts'
import { parseCurl } from './parse-curl.ts'
import { type Language, scriptStarter } from './script-starter.ts'
import { Untranslatable } from './split-shell-words.ts'
import { type Starter, writeStarter } from './write-starter.ts'

const languages: readonly Language[] = ['js', 'py', 'sh']

export const command: Command = {
  async run(args) {
    const { values, positionals } = parse(args)
    if (values.help) {
      write(help)
      return 0
    }
    const [kind, name] = positionals
    const { lang, curl, user: forUser = false } = values
    if (kind === 'script' && curl === undefined) {
      write(await writeStarter(newScript(checkName(kind, name), checkLanguage(lang)), forUser))
    } else if (kind === 'api' && lang === undefined) {
      write(await newApi(checkName(kind, name), curl, forUser))
    } else if (kind === 'script' || kind === 'api') {
      throw new UsageError(
        `curfew new ${kind}: --${kind === 'api' ? 'lang is for scripts' : 'curl is for APIs'}`,
      )
    } else {
      throw new UsageError(
        'curfew new: say what, as in: curfew new script weather, or: curfew new api weather; curfew new --help tells more',
      )
    }
    return 0
  },
}

const options = {
  lang: { type: 'string' },
  curl: { type: 'string' },
  user: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

function parse(args: readonly string[]): ReturnType<typeof parseCommandLine<typeof options>> {
  try {
    return parseCommandLine('new', args, options, 2)
  } catch (error) {
    if (!(error instanceof UsageError) || !args.some((arg) => /^--curl(=|$)/.test(arg))) throw error
    throw new UsageError(
      `${error.message}. Quotes inside the curl command probably ended it early; give it as a here-document: ` +
        "curfew new api NAME --curl - <<'END', then the command, then END on a line of its own",
    )
  }
}

function newScript(name: string, language: Language): Starter {
  return {
    place: ['scripts', name],
    files: scriptStarter(name, language),
    call: `curfew call script_${name} '{"name": "you"}'`,
  }
}

async function newApi(name: string, curl: string | undefined, forUser: boolean): Promise<string> {
  const { definition, secrets, notes, secretsFor } =
    curl === undefined ? plainApi(name) : translate(name, curl === '-' ? readFileSync(0, 'utf8') : curl)
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
        `it needs ${secret.what}, which is not in the file`,
        `first: ${storeSecretCommand(secret.name, secretsFor)}`,
      ]),
      changes: !['GET', 'HEAD'].includes(definition.endpoint.method),
    },
    forUser,
  )
  return [written, ...notes.map((note) => `${note}\n`)].join('')
}

function plainApi(name: string): TranslatedApi {
  return { definition: apiStarter(name), secrets: [], notes: [], secretsFor: null }
}

function translate(name: string, curl: string): TranslatedApi {
  try {
    return curlToApi(name, parseCurl(curl))
  } catch (error) {
    if (!(error instanceof Untranslatable)) throw error
    throw new UsageError(`curfew new api: the curl command cannot be translated: ${error.message}`)
  }
}

function checkName(kind: 'script' | 'api', name: string | undefined): string {
  const bare = name?.replace(new RegExp(`^${kind}_`), '')
  if (bare !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(bare)) return bare
  throw new UsageError(
    name === undefined
      ? `curfew new ${kind}: give it a name, as in: curfew new ${kind} weather`
      : `curfew new ${kind}: ${JSON.stringify(name)} is not usable as a name; write up to 64 of A-Z a-z 0-9 _ -`,
  )
}

function checkLanguage(text = 'js'): Language {
  if ((languages as readonly string[]).includes(text)) return text as Language
  throw new UsageError(
    `curfew new script: --lang ${JSON.stringify(text)} is unknown; write one of ${languages.join(', ')}`,
  )
}

const help = `Usage: curfew new script NAME [--lang js|py|sh] [--user]
       curfew new api NAME [--curl 'curl ...'] [--user]

Write a tool that works as it is. A script: tool.json describes it, the script
does it. An API: one file describes the request. It goes into this project's
.curfew (made and trusted if there is none); with --user into your configuration
folder.

  --lang LANG     js (default), py or sh
  --curl COMMAND  the request to make a tool of, as documentation shows it: the
                  query, the fields of the body, and OWNER, :id, <id> or {id} in
                  the path become parameters; keys become secrets, also in the
                  path, and their values are not written to the file; except for
                  GET and HEAD, values become examples, never defaults;
                  "-" reads it from standard input
  --user          for all your projects
  -h, --help      show this
`
