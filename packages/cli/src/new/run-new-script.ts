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
export async function runNewScript({ name, lang, user }: NewScriptInput): Promise<number> {
  const toolName = checkToolName('script', name)
  const starter = {
    place: ['scripts', toolName],
    files: scriptStarter(toolName, lang),
    call: `curfew call script_${toolName} '{"name": "you"}'`,
  }
  write(await writeStarter(starter, user))
  return 0
}
