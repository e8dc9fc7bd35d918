import { basename } from 'node:path'
import { words } from '@curfew/core/internal'

/** Options of docker and podman before the subcommand that are followed by a value. */
const valueOptions: ReadonlySet<string> = new Set(
  words(`
    -c -H -l --cgroup-manager --config --connection --context --events-backend --host --hooks-dir --identity
    --log-level --module --network-cmd-path --out --root --runroot --runtime --runtime-flag --ssh
    --storage-driver --storage-opt --tlscacert --tlscert --tlskey --tmpdir --url --volumepath
  `),
)

/** `env`, `sudo`, their options and variables. */
const wrapper = /^(?:.*\/)?(?:env|sudo)$|^\w+=|^-/
/** Options of env and sudo that are followed by a value. */
const wrapperValueOptions: ReadonlySet<string> = new Set(
  words('-C -D -g -p -u --chdir --group --prompt --unset --user'),
)

/**
 * Recognizes `docker run` and `podman run`, also behind `env`, `sudo` and variables. Returns everything before `run`, for other
 * subcommands (`docker --context remote`), or `null` for any other command, including `docker compose run`.
 */
export function containerEngineOf(argv: readonly string[]): readonly string[] | null {
  let program = 0
  while (wrapper.test(argv[program] ?? '')) program += wrapperValueOptions.has(argv[program]!) ? 2 : 1
  if (!/^(?:docker|podman)$/.test(basename(argv[program] ?? ''))) return null
  let at = program + 1
  while (argv[at]?.startsWith('-')) at += valueOptions.has(argv[at]!) ? 2 : 1
  if (argv[at] === 'container') at++
  return argv[at] === 'run' ? argv.slice(0, at) : null
}
