import type { Argument, Completion, Option } from '../command.ts'
import type { NamedCommand } from '../command-line/all-commands.ts'
import { quote } from './quote.ts'

/** A script for bash 4 or newer. It completes without starting Node. */
export function bashCompletion(commands: readonly NamedCommand[]): string {
  const options = commands.flatMap(({ command, path }) =>
    Object.entries(command.options).map(([name, option]) => ({ path, name, option })),
  )
  // What follows an option whose value may be omitted can be another option.
  const withValue = options.filter(({ option }) => option.type !== 'boolean' && !option.optionalValue)
  return `# bash completion for curfew. To use it: source <(curfew completion bash)
_curfew() {
  local cur=\${COMP_WORDS[COMP_CWORD]} command=curfew option= dashes= count=0 i word
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command \${COMP_WORDS[i]}" in
      ${commands
        .slice(1)
        .map(({ path }) => quote(path))
        .join(' | ')}) command+=" \${COMP_WORDS[i]}" ;;
      *) break ;;
    esac
  done
  for ((; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then continue; fi
    if [[ -n $option ]]; then option=; continue; fi
    if [[ -z $dashes && $word == -- ]]; then dashes=' --'; count=0; continue; fi
    if [[ -n $dashes || $word != -* ]]; then ((count++)); continue; fi
    case "$command $word" in
      ${withValue.flatMap(({ path, name, option }) => labels(path, name, option)).join(' | ')}) option=$word ;;
    esac
  done
  if [[ $cur == '=' ]]; then cur=; fi
  if [[ -n $option ]]; then
    case "$command $option" in
${withValue.flatMap(({ path, name, option }) => line(labels(path, name, option).join(' | '), valuesOf(option))).join('\n')}
    esac
  elif [[ -z $dashes && $cur == -* ]]; then
    case "$command" in
${commands.map(({ command, path }) => `      ${quote(path)}) _curfew_words ${quote([...Object.keys(command.options), 'help'].map((name) => `--${name}`).join(' '))} ;;`).join('\n')}
    esac
  else
    case "$command$dashes $count" in
${commands.flatMap(argumentLines).join('\n')}
    esac
  fi
}
_curfew_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_curfew_paths() { compopt -o filenames; mapfile -t COMPREPLY < <(compgen "$@" -- "$cur"); }
complete -F _curfew curfew
`
}

function labels(path: string, name: string, { short }: Option): string[] {
  const names = short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]
  return names.map((each) => quote(`${path} ${each}`))
}

function argumentLines({ command, path }: NamedCommand): string[] {
  if (command.subcommands.length > 0) {
    const names = command.subcommands.map(({ name }) => name).join(' ')
    return [`      ${quote(`${path} 0`)}) _curfew_words ${quote(names)} ;;`]
  }
  return Object.values(command.arguments).flatMap((argument, index) => {
    const start = argument.afterDashes ? `${path} -- ` : `${path} `
    const position = argument.afterDashes ? 0 : index
    if (argument.completes === 'command')
      return [
        ...line(quote(start + position), '_curfew_paths -c'),
        ...line(`${quote(start)}*`, '_curfew_paths -f'),
      ]
    return line(argument.multiple ? `${quote(start)}*` : quote(start + position), valuesOf(argument))
  })
}

function line(pattern: string, action: string | null): string[] {
  return action === null ? [] : [`      ${pattern}) ${action} ;;`]
}

const pathActions: Readonly<Record<Completion, string>> = {
  file: '_curfew_paths -f',
  folder: '_curfew_paths -d',
  command: '_curfew_paths -c',
}

function valuesOf(value: Argument | Option): string | null {
  if ('choices' in value && value.choices !== undefined)
    return `_curfew_words ${quote(value.choices.join(' '))}`
  return 'completes' in value && value.completes !== undefined ? pathActions[value.completes] : null
}
