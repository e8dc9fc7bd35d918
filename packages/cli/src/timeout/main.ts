import { basename } from 'node:path'
import { exitWith } from '../exit-with.ts'
import { timeoutCommand } from './timeout-command.ts'

// The entry point of `curfew timeout`, and of a link named `timeout`: see scripts/bundle-cli.ts.
const [, program = '', ...args] = process.argv
const isLink = basename(program) === 'timeout'
exitWith(isLink ? timeoutCommand(args, 'timeout') : timeoutCommand(args.slice(1), 'curfew timeout'))
