import { write } from '../write.ts'
import { checkToolName } from './check-tool-name.ts'
import { type Language, scriptStarter } from './script-starter.ts'
import { writeStarter } from './write-starter.ts'

interface NewScriptInput {
  readonly name: string
  readonly lang: Language
  readonly user: boolean
}

/** `curfew new script`. Returns the exit code. */
export async function runNewScript({ name: given, lang, user }: NewScriptInput): Promise<number> {
  const name = checkToolName('script', given)
  const starter = {
    place: ['scripts', name],
    files: scriptStarter(name, lang),
    call: `curfew call script_${name} '{"name": "you"}'`,
  }
  write(await writeStarter(starter, user))
  return 0
}
