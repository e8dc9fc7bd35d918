import type { Argument, Option } from '../command.ts'
import type { NamedCommand } from '../command-line/all-commands.ts'
import { shorten } from './quote.ts'

/** A script for fish. It completes without starting Node. */
export function fishCompletion(commands: readonly NamedCommand[]): string {
  return `# fish completion for curfew. To use it: curfew completion fish > ~/.config/fish/completions/curfew.fish
function __curfew_command
    set -l command curfew
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
            case ${commands
              .slice(1)
              .map(({ path }) => quote(path))
              .join(' ')}
                set command "$command $word"
            case '*'
                break
        end
    end
    echo $command
end
function __curfew_is
    test (__curfew_command) = "$argv"
end
complete -c curfew -f
${commands.flatMap(linesOf).join('\n')}
`
}

function linesOf({ command, path }: NamedCommand): string[] {
  const start = `complete -c curfew -n ${quote(`__curfew_is ${path}`)}`
  const subcommands = command.subcommands.map(
    ({ name, summary }) => `${start} -a ${name} -d ${quote(summary)}`,
  )
  const declared = Object.values(command.arguments)
  const args = declared.flatMap((argument, index) => {
    const required = declared.slice(0, index).filter(({ optional }) => !optional).length
    const wordsBefore = path.split(' ').length + required + (argument.afterDashes ? 1 : 0)
    const values =
      argument.completes === 'command'
        ? `-a '(__fish_complete_subcommand --fcs-skip=${wordsBefore})'`
        : valuesOf(argument)
    return values === '' ? [] : [`${start} ${values}`]
  })
  const options = Object.entries(command.options).map(([name, option]) => {
    const short = option.short === undefined ? '' : ` -s ${option.short}`
    const takesNone = option.type === 'boolean' || option.optionalValue
    const values = takesNone ? '' : ` -r ${valuesOf(option) || '-x'}`
    return `${start} -l ${name}${short}${values} -d ${quote(shorten(option.summary))}`
  })
  return [...subcommands, ...args, ...options, `${start} -l help -s h -d 'Show this help'`]
}

function valuesOf(value: Argument | Option): string {
  if ('choices' in value && value.choices !== undefined) return `-a ${quote(value.choices.join(' '))}`
  if (!('completes' in value) || value.completes === undefined) return ''
  return value.completes === 'folder' ? `-a '(__fish_complete_directories)'` : '-F'
}

function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}
