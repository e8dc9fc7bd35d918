import { exitWith } from '../exit-with.ts'
import { command } from './timeout-command.ts'

// Where `curfew timeout` begins: see scripts/bundle-timeout.ts.
exitWith(Promise.resolve(command.run(process.argv.slice(3))))
