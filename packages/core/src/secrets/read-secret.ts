import { CurfewError } from '../errors/curfew-error.ts'
import type { Tool } from '../tool/tool.ts'

/** The value of a secret that the tool declared, from the environment. */
export function readSecret(tool: Tool, name: string): string {
  if (!tool.secrets.includes(name)) {
    throw new CurfewError(
      'INVALID_TOOL',
      `tool "${tool.name}": secrets does not name "${name}"; declare it there`,
      {
        field: 'secrets',
      },
    )
  }
  const value = process.env[name]
  if (value !== undefined && value !== '') return value
  throw new CurfewError(
    'CREDENTIAL_REQUIRED',
    `${tool.name} needs the secret ${name}; set it in the environment`,
    {
      field: name,
    },
  )
}
