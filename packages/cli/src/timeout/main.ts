import { basename } from 'node:path'
import { exitWith } from '../exit-with.ts'
import { runTimeoutCommand } from './run-timeout-command.ts'

// Where `curfew timeout` begins: see scripts/bundle-timeout.ts. A link called `timeout` stands for it.
const [, program = '', ...args] = process.argv
const isLink = basename(program) === 'timeout'
exitWith(isLink ? runTimeoutCommand(args, 'timeout') : runTimeoutCommand(args.slice(1)))
