import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CurfewError } from '@curfew/core'
import { fieldError, messageOf, readSmallFile, replaceFile, withLock } from '@curfew/core/internal'
import { applyEdit, editJson } from '../json/edit-json.ts'
import { parseJsonc } from '../json/parse-jsonc.ts'

const maxBytes = 1 << 20

/** The list of trusted projects. */
export function trustedProjectsPath(userRoot: string): string {
  return join(userRoot, 'trusted.json')
}

/** The real paths of the trusted folders. Throws if the list cannot be read. */
export function trustedProjects(userRoot: string): string[] {
  const file = trustedProjectsPath(userRoot)
  const text = readText(file)
  return text === null ? [] : parseTrusted(file, text)
}

/** Adds a project to the trusted ones, or removes it. Returns false if there was nothing to change. */
export async function setTrust(userRoot: string, path: string, trusted: boolean): Promise<boolean> {
  const file = trustedProjectsPath(userRoot)
  try {
    await mkdir(userRoot, { recursive: true, mode: 0o700 })
    return await withLock(file, async () => {
      const text = readText(file) ?? '{\n  "trusted": []\n}\n'
      const paths = parseTrusted(file, text)
      if (paths.includes(path) === trusted) return false
      const changed = trusted ? [...paths, path].sort() : paths.filter((other) => other !== path)
      await replaceFile(file, applyEdit(text, editJson(text, '/trusted', changed)!))
      return true
    })
  } catch (error) {
    if (error instanceof CurfewError) throw error
    throw unusable(file, `cannot be written: ${messageOf(error)}; CURFEW_TRUST=1 trusts for one run`)
  }
}

function readText(file: string): string | null {
  try {
    return readSmallFile(file, maxBytes)?.toString() ?? null
  } catch (error) {
    throw unusable(file, messageOf(error))
  }
}

function parseTrusted(file: string, text: string): string[] {
  let value: unknown
  try {
    ;({ value } = parseJsonc(text))
  } catch (error) {
    throw unusable(file, `is not JSON: ${messageOf(error)}; repair or delete it`)
  }
  const { trusted } = Object(value) as { readonly trusted?: unknown }
  if (Array.isArray(trusted) && trusted.every((path) => typeof path === 'string')) return trusted
  throw unusable(file, '"trusted" must be an array of paths; repair or delete it')
}

function unusable(file: string, problem: string): CurfewError {
  return fieldError('INVALID_OPTION', file, problem)
}
