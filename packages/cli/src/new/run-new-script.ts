import { write } from '../write.ts'
import { checkToolName } from './check-tool-name.ts'
import { type StarterFile, writeStarter } from './write-starter.ts'

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

type Language = 'js' | 'py' | 'sh'

/** A working script tool. */
function scriptStarter(name: string, language: Language): readonly StarterFile[] {
  const definition = {
    name,
    description: 'Greet a person by name.',
    timeout: 60,
    parameters: {
      type: 'object',
      properties: { name: { type: 'string', default: 'world', description: 'The name of the person.' } },
      additionalProperties: false,
    },
  }
  return [{ name: 'tool.json', text: `${JSON.stringify(definition, null, 2)}\n` }, programs[language]]
}

const programs: Readonly<Record<Language, StarterFile>> = {
  js: {
    name: 'script.js',
    text: `// The arguments are JSON on standard input; standard output is the result (JSON or plain text).
// Standard error is shown while the script runs. An exit code other than 0 is an error.
// CURFEW_DEADLINE_MS contains the remaining milliseconds.
let input = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (chunk) => {
  input += chunk
})
process.stdin.on('end', () => {
  const { name } = JSON.parse(input)
  console.error('greeting', name)
  console.log(JSON.stringify({ greeting: 'Hello, ' + name + '!' }))
})
`,
  },
  py: {
    name: 'script.py',
    text: `# The arguments are JSON on standard input; standard output is the result (JSON or plain text).
# Standard error is shown while the script runs. An exit code other than 0 is an error.
# CURFEW_DEADLINE_MS contains the remaining milliseconds.
import json
import sys

arguments = json.load(sys.stdin)
print("greeting", arguments["name"], file=sys.stderr)
print(json.dumps({"greeting": f"Hello, {arguments['name']}!"}))
`,
  },
  sh: {
    name: 'script.sh',
    text: `#!/bin/sh
# The arguments are JSON on standard input; standard output is the result (JSON or plain text).
# Standard error is shown while the script runs. An exit code other than 0 is an error.
# CURFEW_DEADLINE_MS contains the remaining milliseconds.
echo "greeting" >&2
arguments=$(cat)
echo "Hello! The arguments are $arguments"
`,
    executable: true,
  },
}
