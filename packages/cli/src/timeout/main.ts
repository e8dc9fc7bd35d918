import { basename } from 'node:path'
import { exitWith } from '../exit-with.ts'
import { runTimeoutCommand } from './run-timeout-command.ts'

// The entry point of `curfew timeout`, and of a link named `timeout`: see scripts/bundle-cli.ts.
const [, program = '', ...args] = process.argv
const isLink = basename(program) === 'timeout'
exitWith(isLink ? runTimeoutCommand(args, 'timeout') : runTimeoutCommand(args.slice(1)))
