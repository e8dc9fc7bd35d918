import type { Argument, Completion, Option } from '../command.ts'
import type { NamedCommand } from '../command-line/all-commands.ts'
import { quote, shorten } from './quote.ts'

/** A script for zsh: it can be sourced after `compinit`, or be a file `_curfew` in `$fpath`. */
export function zshCompletion(commands: readonly NamedCommand[]): string {
  return `#compdef curfew
# zsh completion for curfew. To use it: source <(curfew completion zsh)
_curfew() {
  local name=curfew
  integer i=2
  while (( i < CURRENT )); do
    case "$name $words[i]" in
      (${commands
        .slice(1)
        .map(({ path }) => quote(path))
        .join('|')}) name+=" $words[i]" ;;
      (*) break ;;
    esac
    (( i++ ))
  done
  words=("$name" "\${(@)words[i,-1]}")
  (( CURRENT -= i - 2 ))
  case "$name" in
${commands.map(caseOf).join('\n')}
  esac
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _curfew "$@"; else compdef _curfew curfew; fi
`
}

function caseOf({ command, path }: NamedCommand): string {
  const names = command.subcommands.map(
    ({ name, summary }) => `${name}\\:"${summary.replace(/["`$\\]/g, '\\$&')}"`,
  )
  const specs = [
    ...Object.entries(command.options).map(optionSpec),
    `'(-h --help)'{-h,--help}'[Show this help]'`,
    ...(names.length > 0 ? [quote(`1:command:((${names.join(' ')}))`)] : argumentSpecs(command.arguments)),
  ]
  return `    (${quote(path)}) _arguments -s -S ${specs.map((spec) => `\\\n      ${spec}`).join(' ')} ;;`
}

function optionSpec([name, option]: [string, Option]): string {
  const long = option.type === 'boolean' ? `--${name}` : `--${name}=`
  const isMultiple = option.type !== 'boolean' && option.multiple
  const text = `[${escapeSpec(shorten(option.summary))}]`
  const value =
    option.type === 'boolean'
      ? ''
      : `${option.optionalValue ? '::' : ':'}${escapeSpec(option.placeholder)}:${actionOf(option)}`
  if (option.short === undefined) return quote(`${isMultiple ? '*' : ''}${long}${text}${value}`)
  const exclusive = isMultiple ? '*' : `(-${option.short} --${name})`
  const short = option.type === 'boolean' ? `-${option.short}` : `-${option.short}+`
  return `${quote(exclusive)}{${short},${long}}${quote(text + value)}`
}

function argumentSpecs(args: Readonly<Record<string, Argument>>): string[] {
  const declared = Object.values(args)
  const takesDashes = declared.some(({ afterDashes }) => afterDashes)
  // After `--`, zsh would treat the first word as an optional argument before it.
  const used = declared.filter(({ optional, afterDashes }) => !takesDashes || afterDashes || !optional)
  return used.map((argument, index) => {
    const message = escapeSpec(argument.placeholder)
    // Before `--`, options are still completed.
    if (argument.afterDashes) return quote(`*:${message}:_command_names -e`)
    if (argument.completes === 'command') return quote(`*:::${message}:_normal`)
    const position = argument.multiple ? '*' : `${index + 1}${argument.optional ? ':' : ''}`
    return quote(`${position}:${message}:${actionOf(argument)}`)
  })
}

const actions: Readonly<Record<Completion, string>> = {
  file: '_files',
  folder: '_files -/',
  command: '_command_names -e',
}

/** A space means that nothing is completed. */
function actionOf(value: Argument | Option): string {
  if ('choices' in value && value.choices !== undefined) return `(${value.choices.join(' ')})`
  return 'completes' in value && value.completes !== undefined ? actions[value.completes] : ' '
}

function escapeSpec(text: string): string {
  return text.replace(/[[\]:\\]/g, '\\$&')
}
