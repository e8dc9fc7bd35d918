import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hasProgram } from '../../../test/support/can-test.ts'
import { runCurfew } from './run-curfew.ts'

const folder = mkdtempSync(join(tmpdir(), 'curfew-test-'))

beforeAll(async () => {
  mkdirSync(join(folder, 'a folder'))
  writeFileSync(join(folder, 'a file.json'), '')
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { code, stdout, stderr } = await runCurfew(['completion', shell])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    writeFileSync(join(folder, `curfew.${shell}`), stdout)
  }
})

afterAll(() => rmSync(folder, { recursive: true }))

/** The words before the cursor, the completions that must be offered, and one that must not. */
const cases: readonly (readonly [words: readonly string[], offered: readonly string[], not: string])[] = [
  [[''], ['call', 'completion', 'help', 'mcp', 'timeout', 'trust'], 'add'],
  [['to'], ['tools'], 'trust'],
  [['--mo'], ['--model', '--mode'], '--resume'],
  [['--mode', ''], ['plan', 'ask', 'accept-edits'], 'json'],
  [['-p', '--out'], ['--output'], '--model'],
  [['mcp', ''], ['add', 'approve', 'import', 'list', 'test'], 'call'],
  [['mcp', 'add', 'x', '--'], ['--env', '--header', '--store-secrets', '--help'], '--view'],
  [['mcp', '--'], ['--view', '--http', '--name-limit'], '--env'],
  [['tools', '--view', ''], ['stub', 'brief', 'full'], '--json'],
  [['mcp', 'import', ''], ['claude', 'cursor', 'codex', 'gemini'], 'list'],
  [['mcp', 'import', '--file', 'a f'], ['a file.json', 'a folder'], 'claude'],
  [['review', 'a f'], ['a file.json', 'a folder'], 'call'],
  [['trust', '--remove', 'a f'], ['a folder'], 'a file.json'],
  [['completion', ''], ['bash', 'zsh', 'fish'], 'call'],
  [['new', 'script', 'x', '--lang', ''], ['js', 'py', 'sh'], 'api'],
  [['timeout', '5', 'mkdi'], ['mkdir'], '--json'],
  [['mcp', 'add', 'x', '--', 'mkdi'], ['mkdir'], '--env'],
]

describe('bash', () => {
  it.each([
    ...cases,
    // Bash splits words at an equals sign.
    [['tools', '--view', '=', 'b'], ['brief'], 'full'],
    [['tools', '--view', '='], ['stub', 'brief', 'full'], '--json'],
    [['timeout', '-k', '1', '5', 'cat', 'a f'], ['a file.json'], 'cat'],
  ] as typeof cases)('completes %j', (words, offered, not) => {
    const script = `source ./curfew.bash
      COMP_WORDS=(curfew "$@") COMP_CWORD=$#
      compopt() { :; }
      _curfew && printf '%s\\n' "\${COMPREPLY[@]}"`
    const found = execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], {
      cwd: folder,
      encoding: 'utf8',
    })
    expectOffered(found.split('\n'), offered, not)
  })

  it('is registered for curfew', () => {
    const found = execFileSync('bash', ['--norc', '-c', 'source ./curfew.bash; complete -p curfew'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(found).toBe('complete -F _curfew curfew\n')
  })
})

describe.runIf(hasProgram('fish'))('fish', () => {
  it.each(cases)('completes %j', (words, offered, not) => {
    const line = ['curfew', ...words].map((word) => word.replaceAll(' ', '\\ ')).join(' ')
    const found = execFileSync(
      'fish',
      ['--no-config', '-c', 'source curfew.fish; complete -C "$argv"', line],
      {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, HOME: folder },
      },
    )
    const names = found.split('\n').map((each) => each.split('\t', 1)[0]!.replaceAll('\\ ', ' '))
    expectOffered(
      names.map((name) => name.replace(/\/$/, '')),
      offered,
      not,
    )
  })
})

describe.runIf(hasProgram('zsh'))('zsh', () => {
  it.each(cases)('completes %j', (words, offered, not) => {
    const line = ['curfew', ...words].map((word) => word.replaceAll(' ', '\\ ')).join(' ')
    expectOffered(completeInZsh(line), offered, not)
  })
})

function expectOffered(found: readonly string[], offered: readonly string[], not: string): void {
  expect(found).toEqual(expect.arrayContaining([...offered]))
  expect(found).not.toContain(not)
}

/** Types the line and Tab into an interactive zsh, whose `compadd` prints the matches. */
function completeInZsh(line: string): string[] {
  const script = `
    zmodload zsh/zpty
    zpty shell zsh -f -i
    send() { zpty -w shell "$1" }
    send 'PROMPT=; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; source ./curfew.zsh'
    send 'compadd() {
      if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return; fi
      local -a hits; builtin compadd -A hits "$@"; builtin compadd "$@"
      print -l -- "hit:"\${^hits} >> hits.txt }'
    send 'finish() { print done >> hits.txt }; zle -N finish; bindkey "^X" finish; print ready > hits.txt'
    while [[ ! -s hits.txt ]]; do sleep 0.05; done
    zpty -w -n shell $'${line.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}\\t'
    zpty -w -n shell $'\\x18'
    while ! grep -q done hits.txt; do sleep 0.05; done
    zpty -d shell
    cat hits.txt; rm hits.txt`
  const found = execFileSync('zsh', ['-f', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, HOME: folder, TERM: 'dumb' },
    timeout: 25_000,
  })
  return found.split('\n').flatMap((each) => (each.startsWith('hit:') ? [each.slice(4)] : []))
}
