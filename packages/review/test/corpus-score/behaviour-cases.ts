import type { Hint } from '../../src/behaviour/find-contradictions.ts'
import type { OwnTool } from '../../src/review-types.ts'
import { definition, type Written } from './definition.ts'

export interface BehaviourCase {
  readonly tool: ReturnType<typeof definition>
  /** The hints that lie; none for an honest tool. */
  readonly lies: readonly Hint[]
}

const readOnly = { readOnlyHint: true } as const
const closed = { openWorldHint: false } as const
const repeatable = { readOnlyHint: false, idempotentHint: true } as const
const gentle = { readOnlyHint: false, destructiveHint: false } as const
const lie = (written: Written, ...lies: Hint[]): BehaviourCase => ({ tool: definition(written), lies })
const honest = (written: Written): BehaviourCase => ({ tool: definition(written), lies: [] })
const text = (description: string): object => ({ type: 'string', description })
const own = (flags: Partial<OwnTool>): OwnTool => ({
  adapter: 'function',
  readOnly: false,
  concurrent: false,
  idempotent: false,
  destructive: true,
  openWorld: true,
  declared: new Set(),
  timeoutMs: undefined,
  ...flags,
})

/** Marked as what they are not. */
export const liars: readonly BehaviourCase[] = [
  lie({ name: 'run_command', description: 'Run a shell command.', annotations: readOnly }, 'readOnlyHint'),
  lie({ name: 'bash', description: 'A bash session.', annotations: readOnly }, 'readOnlyHint'),
  lie(
    {
      name: 'python',
      description: 'Executes Python code and returns what it prints.',
      annotations: readOnly,
    },
    'readOnlyHint',
  ),
  lie(
    {
      name: 'helper',
      description: 'Help with the project.',
      properties: { command: text('The shell command to execute.') },
      annotations: readOnly,
    },
    'readOnlyHint',
  ),
  lie(
    { name: 'runner', description: 'This tool allows you to run arbitrary scripts.', annotations: closed },
    'openWorldHint',
  ),
  lie(
    {
      name: 'exec',
      description: 'Execute a program with arguments.',
      annotations: { ...repeatable, ...gentle },
    },
    'destructiveHint',
    'idempotentHint',
  ),
  lie({ name: 'write_file', description: 'Write content to a file.', annotations: readOnly }, 'readOnlyHint'),
  lie(
    { name: 'export', description: 'Fetch the report and save it to disk.', annotations: readOnly },
    'readOnlyHint',
  ),
  lie({ name: 'files', description: 'Read, write and delete files.', annotations: readOnly }, 'readOnlyHint'),
  lie({ name: 'create_issue', description: 'Creates an issue.', annotations: readOnly }, 'readOnlyHint'),
  lie({ name: 'update_ticket', description: 'Returns the ticket.', annotations: readOnly }, 'readOnlyHint'),
  lie(
    { name: 'drop_table', description: 'Drop a table from the database.', annotations: gentle },
    'destructiveHint',
  ),
  lie(
    { name: 'delete_user', description: 'Permanently deletes a user.', annotations: readOnly },
    'readOnlyHint',
  ),
  lie(
    { name: 'cleanup', description: 'Use this tool to remove old branches.', annotations: readOnly },
    'readOnlyHint',
  ),
  lie(
    {
      name: 'put',
      description: 'Copy a text. If the file exists, it will be overwritten.',
      annotations: readOnly,
    },
    'readOnlyHint',
  ),
  lie({ name: 'send_email', description: 'Send an email.', annotations: repeatable }, 'idempotentHint'),
  lie(
    { name: 'create_booking', description: 'Create a booking of a table.', annotations: repeatable },
    'idempotentHint',
  ),
  lie(
    { name: 'create_alias', description: 'Create an alias of a host.', annotations: readOnly },
    'readOnlyHint',
  ),
  lie(
    { name: 'notify', description: 'Send an email to a customer.', annotations: { ...readOnly, ...closed } },
    'readOnlyHint',
    'openWorldHint',
  ),
  lie(
    { name: 'append_row', description: 'Append a row to a sheet.', annotations: repeatable },
    'idempotentHint',
  ),
  lie(
    { name: 'add_comment', description: 'Create a comment on an issue.', annotations: repeatable },
    'idempotentHint',
  ),
  lie({ name: 'fetch', description: 'Fetch a URL as markdown.', annotations: closed }, 'openWorldHint'),
  lie({ name: 'web_search', description: 'Search the web.', annotations: closed }, 'openWorldHint'),
  lie(
    {
      name: 'http_request',
      description: 'Make an HTTP request.',
      properties: { method: { enum: ['GET', 'POST', 'DELETE'] }, url: text('Where to.') },
      annotations: { ...readOnly, ...closed },
    },
    'readOnlyHint',
    'openWorldHint',
  ),
  lie(
    {
      name: 'weather',
      description: 'Look up the weather.',
      own: own({ adapter: 'api', readOnly: true, openWorld: false }),
    },
    'openWorldHint',
  ),
  lie(
    {
      name: 'build',
      description: 'Build the project.',
      usage: 'It runs any command of the build file.',
      own: own({ adapter: 'script', readOnly: true }),
    },
    'readOnlyHint',
  ),
]

/** They sound like it, and are not. */
export const innocents: readonly BehaviourCase[] = [
  honest({ name: 'read_file', description: 'Read a file.', annotations: { ...readOnly, ...closed } }),
  honest({ name: 'get_issue', description: 'Get an issue.', annotations: readOnly }),
  honest({
    name: 'list_deleted_files',
    description: 'List the files that were deleted.',
    annotations: readOnly,
  }),
  honest({ name: 'get_update_status', description: 'Get the status of an update.', annotations: readOnly }),
  honest({ name: 'update_status', description: 'Returns how far the update is.', annotations: readOnly }),
  honest({
    name: 'write_summary',
    description: 'Write a summary of a file.',
    annotations: { ...readOnly, ...closed },
  }),
  honest({
    name: 'write_commit_message',
    description: 'Write a commit message for the changes.',
    annotations: readOnly,
  }),
  honest({ name: 'create_plan', description: 'Create a plan for a task.', annotations: readOnly }),
  honest({
    name: 'remove_background',
    description: 'Remove the background from an image.',
    annotations: readOnly,
  }),
  honest({ name: 'delete_whitespace', description: 'Delete whitespace in a text.', annotations: readOnly }),
  honest({
    name: 'add',
    description: 'Add two numbers.',
    annotations: { readOnlyHint: true, idempotentHint: true },
  }),
  honest({
    name: 'set_difference',
    description: 'Compute the difference of two sets.',
    annotations: readOnly,
  }),
  honest({
    name: 'query',
    description: 'Query the database with SQL.',
    annotations: { ...readOnly, ...closed },
  }),
  honest({ name: 'execute_sql', description: 'Execute a read-only SQL query.', annotations: readOnly }),
  honest({
    name: 'explain_command',
    description: 'Explain what a shell command does.',
    properties: { command: text('The shell command to explain, not to run.') },
    annotations: { ...readOnly, ...closed },
  }),
  honest({
    name: 'editor',
    description: 'View a file.',
    properties: { command: { enum: ['view', 'find'], description: 'What to run.' } },
    annotations: readOnly,
  }),
  honest({ name: 'run_query', description: 'Run a search query over the index.', annotations: readOnly }),
  honest({
    name: 'calculate',
    description: 'Run code in a sandbox without side effects.',
    annotations: readOnly,
  }),
  honest({
    name: 'list_processes',
    description: 'List running processes and commands.',
    annotations: readOnly,
  }),
  honest({ name: 'search', description: 'Search commits, posts and updates.', annotations: readOnly }),
  honest({
    name: 'view_page',
    description: "View a page. It does not modify the page. Not for deleting a page: use 'delete_page'.",
    annotations: readOnly,
  }),
  honest({
    name: 'plan_cleanup',
    description: 'Show which files a cleanup would delete.',
    annotations: readOnly,
  }),
  honest({
    name: 'find',
    description: "Find files. To delete files, use 'delete_file'.",
    annotations: readOnly,
  }),
  honest({ name: 'parse_url', description: 'Parse a URL into its parts.', annotations: closed }),
  honest({ name: 'extract_links', description: 'Extract the links of an HTML text.', annotations: closed }),
  honest({
    name: 'validate_email',
    description: 'Check whether an email address is valid.',
    annotations: closed,
  }),
  honest({ name: 'fetch_web', description: 'Fetch a web page.', annotations: readOnly }),
  honest({
    name: 'write_file',
    description: 'Overwrite a file.',
    annotations: { ...repeatable, destructiveHint: true },
  }),
  honest({
    name: 'create_directory',
    description: 'Create a directory or ensure that it exists.',
    annotations: { ...repeatable, ...gentle, ...closed },
  }),
  honest({
    name: 'delete_file',
    description: 'Delete a file.',
    annotations: { ...repeatable, destructiveHint: true },
  }),
  honest({ name: 'run_command', description: 'Run a shell command.', annotations: { readOnlyHint: false } }),
  honest({ name: 'run_command', description: 'Run a shell command.' }),
  honest({
    name: 'weather',
    description: 'Look up the weather.',
    own: own({ adapter: 'api', readOnly: true, idempotent: true, destructive: false }),
  }),
  honest({
    name: 'word_count',
    description: 'Count words in a file.',
    own: own({ adapter: 'script', readOnly: true, idempotent: true, destructive: false, openWorld: false }),
  }),
]
