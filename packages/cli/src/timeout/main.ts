import { basename } from 'node:path'
import { warmUpCgroup } from '@curfew/core/internal'
import { exitWith } from '../exit-with.ts'
import { timeoutCommand } from './timeout-command.ts'

// Where `curfew timeout` begins: see scripts/bundle-timeout.ts. A link called `timeout` stands for it.
warmUpCgroup()
const [, program = '', ...args] = process.argv
const isLink = basename(program) === 'timeout'
exitWith(isLink ? timeoutCommand(args, 'timeout') : timeoutCommand(args.slice(1), 'curfew timeout'))
