import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { type Command, UsageError } from '../command.ts'
import { parseCommandLine } from '../parse-options.ts'
import { starterRoot } from '../starter-root.ts'
import { write } from '../write.ts'
import { type Language, scriptStarter } from './script-starter.ts'

const languages: readonly Language[] = ['js', 'py', 'sh']

export const command: Command = {
  async run(args) {
    const { values, positionals } = parseCommandLine(
      'new',
      args,
      { lang: { type: 'string' }, user: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
      2,
    )
    if (values.help) {
      write(help)
      return 0
    }
    const [kind, name] = positionals
    if (kind !== 'script') {
      throw new UsageError(
        `curfew new: say what, as in: curfew new script weather; curfew new --help tells more`,
      )
    }
    const folder = await createScript(checkName(name), checkLanguage(values.lang), values.user ?? false)
    write(`${folder.made}\n${folder.next}\n`)
    return 0
  },
}

async function createScript(
  name: string,
  language: Language,
  forUser: boolean,
): Promise<{ made: string; next: string }> {
  const root = starterRoot(forUser)
  const folder = join(root.path, 'extensions', 'scripts', name)
  if (existsSync(folder)) throw new UsageError(`curfew new: ${folder} exists already; choose another name`)
  await root.prepare()
  mkdirSync(folder, { recursive: true })
  if (!realpathSync(folder).startsWith(realpathSync(root.path)))
    throw new UsageError(`curfew new: ${folder} is a link out of ${root.path}; nothing was written`)
  const files = scriptStarter(name, language)
  for (const file of files) {
    writeFileSync(join(folder, file.name), file.text, { mode: file.executable ? 0o755 : 0o644, flag: 'wx' })
  }
  const call = `curfew call script_${name} '{"name": "you"}'`
  return {
    made: `made ${files.map((file) => relative(process.cwd(), join(folder, file.name))).join(' and ')}`,
    next: root.usable
      ? `try it: ${call}`
      : `this project is not trusted yet; look at it, then: curfew trust && ${call}`,
  }
}

function checkName(name: string | undefined): string {
  const bare = name?.replace(/^script_/, '')
  if (bare !== undefined && /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(bare)) return bare
  throw new UsageError(
    name === undefined
      ? 'curfew new script: give it a name, as in: curfew new script weather'
      : `curfew new script: ${JSON.stringify(name)} is not usable as a name; write up to 64 of A-Z a-z 0-9 _ -`,
  )
}

function checkLanguage(text = 'js'): Language {
  if ((languages as readonly string[]).includes(text)) return text as Language
  throw new UsageError(
    `curfew new script: --lang ${JSON.stringify(text)} is unknown; write one of ${languages.join(', ')}`,
  )
}

const help = `Usage: curfew new script NAME [--lang js|py|sh] [--user]

Write a script tool that works as it is: tool.json describes it, the script does it.
It goes into this project's .curfew (made and trusted if there is none); with --user
into your configuration folder.

  --lang LANG  js (default), py or sh
  --user       for all your projects
  -h, --help   show this
`
