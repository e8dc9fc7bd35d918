import type { ToolKind } from '@agentclientprotocol/sdk'

const kinds: Readonly<Record<string, ToolKind>> = {
  read_file: 'read',
  list_directory: 'read',
  read_output: 'read',
  load_skill: 'read',
  find_files: 'search',
  search_files: 'search',
  search_tools: 'search',
  write_file: 'edit',
  edit_file: 'edit',
  run_command: 'execute',
  stop_command: 'execute',
  timeout: 'execute',
  nice: 'execute',
  fetch_url: 'fetch',
  write_todos: 'think',
  generate_plan: 'think',
}

/** How an editor shows a call. */
export function toolKind(name: string): ToolKind {
  if (Object.hasOwn(kinds, name)) return kinds[name]!
  if (name.startsWith('script_')) return 'execute'
  return name.startsWith('api_') ? 'fetch' : 'other'
}
