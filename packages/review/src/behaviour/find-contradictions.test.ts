import { expect, test } from 'vitest'
import { type Fields, reviewedTool } from '../../test/reviewed-tool.ts'
import { findContradictions, type Hint } from './find-contradictions.ts'

interface Case {
  readonly tool: ReturnType<typeof reviewedTool>
  readonly hints: readonly Hint[]
}

const readOnly = { readOnlyHint: true } as const
const closedWorld = { openWorldHint: false } as const
const idempotent = { readOnlyHint: false, idempotentHint: true } as const
const nonDestructive = { readOnlyHint: false, destructiveHint: false } as const
const contradictory = (fields: Fields, ...hints: Hint[]): Case => ({ tool: reviewedTool(fields), hints })
const consistent = (fields: Fields): Case => ({ tool: reviewedTool(fields), hints: [] })
const text = (description: string): object => ({ type: 'string', description })

const contradictions: readonly Case[] = [
  contradictory(
    { name: 'run_command', description: 'Run a shell command.', annotations: readOnly },
    'readOnlyHint',
  ),
  contradictory({ name: 'bash', description: 'A bash session.', annotations: readOnly }, 'readOnlyHint'),
  contradictory(
    {
      name: 'python',
      description: 'Executes Python code and returns what it prints.',
      annotations: readOnly,
    },
    'readOnlyHint',
  ),
  contradictory(
    {
      name: 'helper',
      description: 'Help with the project.',
      properties: { command: text('The shell command to execute.') },
      annotations: readOnly,
    },
    'readOnlyHint',
  ),
  contradictory(
    {
      name: 'runner',
      description: 'This tool allows you to run arbitrary scripts.',
      annotations: closedWorld,
    },
    'openWorldHint',
  ),
  contradictory(
    {
      name: 'exec',
      description: 'Execute a program with arguments.',
      annotations: { ...idempotent, ...nonDestructive },
    },
    'destructiveHint',
    'idempotentHint',
  ),
  contradictory(
    { name: 'write_file', description: 'Write content to a file.', annotations: readOnly },
    'readOnlyHint',
  ),
  contradictory(
    { name: 'export', description: 'Fetch the report and save it to disk.', annotations: readOnly },
    'readOnlyHint',
  ),
  contradictory(
    { name: 'files', description: 'Read, write and delete files.', annotations: readOnly },
    'readOnlyHint',
  ),
  contradictory(
    { name: 'create_issue', description: 'Creates an issue.', annotations: readOnly },
    'readOnlyHint',
  ),
  contradictory(
    { name: 'update_ticket', description: 'Returns the ticket.', annotations: readOnly },
    'readOnlyHint',
  ),
  contradictory(
    { name: 'drop_table', description: 'Drop a table from the database.', annotations: nonDestructive },
    'destructiveHint',
  ),
  contradictory(
    { name: 'delete_user', description: 'Permanently deletes a user.', annotations: readOnly },
    'readOnlyHint',
  ),
  contradictory(
    { name: 'cleanup', description: 'Use this tool to remove old branches.', annotations: readOnly },
    'readOnlyHint',
  ),
  contradictory(
    {
      name: 'put',
      description: 'Copy a text. If the file exists, it will be overwritten.',
      annotations: readOnly,
    },
    'readOnlyHint',
  ),
  contradictory(
    { name: 'send_email', description: 'Send an email.', annotations: idempotent },
    'idempotentHint',
  ),
  contradictory(
    { name: 'create_booking', description: 'Create a booking of a table.', annotations: idempotent },
    'idempotentHint',
  ),
  contradictory(
    { name: 'create_alias', description: 'Create an alias of a host.', annotations: readOnly },
    'readOnlyHint',
  ),
  contradictory(
    {
      name: 'notify',
      description: 'Send an email to a customer.',
      annotations: { ...readOnly, ...closedWorld },
    },
    'readOnlyHint',
    'openWorldHint',
  ),
  contradictory(
    { name: 'append_row', description: 'Append a row to a sheet.', annotations: idempotent },
    'idempotentHint',
  ),
  contradictory(
    { name: 'add_comment', description: 'Create a comment on an issue.', annotations: idempotent },
    'idempotentHint',
  ),
  contradictory(
    { name: 'fetch', description: 'Fetch a URL as markdown.', annotations: closedWorld },
    'openWorldHint',
  ),
  contradictory(
    { name: 'web_search', description: 'Search the web.', annotations: closedWorld },
    'openWorldHint',
  ),
  contradictory(
    {
      name: 'http_request',
      description: 'Make an HTTP request.',
      properties: { method: { enum: ['GET', 'POST', 'DELETE'] }, url: text('Where to.') },
      annotations: { ...readOnly, ...closedWorld },
    },
    'readOnlyHint',
    'openWorldHint',
  ),
  contradictory(
    {
      name: 'weather',
      description: 'Look up the weather.',
      curfew: { destructive: true, adapter: 'api', readOnly: true, openWorld: false },
    },
    'openWorldHint',
  ),
  contradictory(
    {
      name: 'build',
      description: 'Build the project.',
      usage: 'It runs any command of the build file.',
      curfew: { destructive: true, adapter: 'script', readOnly: true },
    },
    'readOnlyHint',
  ),
]

/** Similar words, without a contradiction. */
const consistencies: readonly Case[] = [
  consistent({
    name: 'read_file',
    description: 'Read a file.',
    annotations: { ...readOnly, ...closedWorld },
  }),
  consistent({ name: 'get_issue', description: 'Get an issue.', annotations: readOnly }),
  consistent({
    name: 'list_deleted_files',
    description: 'List the files that were deleted.',
    annotations: readOnly,
  }),
  consistent({
    name: 'get_update_status',
    description: 'Get the status of an update.',
    annotations: readOnly,
  }),
  consistent({ name: 'update_status', description: 'Returns how far the update is.', annotations: readOnly }),
  consistent({
    name: 'write_summary',
    description: 'Write a summary of a file.',
    annotations: { ...readOnly, ...closedWorld },
  }),
  consistent({
    name: 'write_commit_message',
    description: 'Write a commit message for the changes.',
    annotations: readOnly,
  }),
  consistent({ name: 'create_plan', description: 'Create a plan for a task.', annotations: readOnly }),
  consistent({
    name: 'remove_background',
    description: 'Remove the background from an image.',
    annotations: readOnly,
  }),
  consistent({
    name: 'delete_whitespace',
    description: 'Delete whitespace in a text.',
    annotations: readOnly,
  }),
  consistent({
    name: 'add',
    description: 'Add two numbers.',
    annotations: { readOnlyHint: true, idempotentHint: true },
  }),
  consistent({
    name: 'set_difference',
    description: 'Compute the difference of two sets.',
    annotations: readOnly,
  }),
  consistent({
    name: 'query',
    description: 'Query the database with SQL.',
    annotations: { ...readOnly, ...closedWorld },
  }),
  consistent({ name: 'execute_sql', description: 'Execute a read-only SQL query.', annotations: readOnly }),
  consistent({
    name: 'explain_command',
    description: 'Explain what a shell command does.',
    properties: { command: text('The shell command to explain, not to run.') },
    annotations: { ...readOnly, ...closedWorld },
  }),
  consistent({
    name: 'editor',
    description: 'View a file.',
    properties: { command: { enum: ['view', 'find'], description: 'What to run.' } },
    annotations: readOnly,
  }),
  consistent({ name: 'run_query', description: 'Run a search query over the index.', annotations: readOnly }),
  consistent({
    name: 'calculate',
    description: 'Run code in a sandbox without side effects.',
    annotations: readOnly,
  }),
  consistent({
    name: 'list_processes',
    description: 'List running processes and commands.',
    annotations: readOnly,
  }),
  consistent({ name: 'search', description: 'Search commits, posts and updates.', annotations: readOnly }),
  consistent({
    name: 'view_page',
    description: "View a page. It does not modify the page. Not for deleting a page: use 'delete_page'.",
    annotations: readOnly,
  }),
  consistent({
    name: 'plan_cleanup',
    description: 'Show which files a cleanup would delete.',
    annotations: readOnly,
  }),
  consistent({
    name: 'find',
    description: "Find files. To delete files, use 'delete_file'.",
    annotations: readOnly,
  }),
  consistent({ name: 'parse_url', description: 'Parse a URL into its parts.', annotations: closedWorld }),
  consistent({
    name: 'extract_links',
    description: 'Extract the links of an HTML text.',
    annotations: closedWorld,
  }),
  consistent({
    name: 'validate_email',
    description: 'Check whether an email address is valid.',
    annotations: closedWorld,
  }),
  consistent({ name: 'fetch_web', description: 'Fetch a web page.', annotations: readOnly }),
  consistent({
    name: 'write_file',
    description: 'Overwrite a file.',
    annotations: { ...idempotent, destructiveHint: true },
  }),
  consistent({
    name: 'create_directory',
    description: 'Create a directory or ensure that it exists.',
    annotations: { ...idempotent, ...nonDestructive, ...closedWorld },
  }),
  consistent({
    name: 'delete_file',
    description: 'Delete a file.',
    annotations: { ...idempotent, destructiveHint: true },
  }),
  consistent({
    name: 'run_command',
    description: 'Run a shell command.',
    annotations: { readOnlyHint: false },
  }),
  consistent({ name: 'run_command', description: 'Run a shell command.' }),
  consistent({
    name: 'weather',
    description: 'Look up the weather.',
    curfew: { adapter: 'api', readOnly: true, idempotent: true, destructive: false },
  }),
  consistent({
    name: 'word_count',
    description: 'Count words in a file.',
    curfew: {
      adapter: 'script',
      readOnly: true,
      idempotent: true,
      destructive: false,
      openWorld: false,
    },
  }),
]

test.each(contradictions.map((each) => [each.tool.name, each.tool.description, each] as const))(
  'contradictory: %s, %s',
  (_name, _description, { tool, hints }) => {
    const found = findContradictions(tool)
    expect(found.map(({ hint }) => hint)).toEqual(hints)
    for (const { evidence } of found) expect(evidence.length).toBeGreaterThan(0)
  },
)

test.each(consistencies.map((each) => [each.tool.name, each.tool.description, each] as const))(
  'consistent: %s, %s',
  (_name, _description, { tool }) => {
    expect(findContradictions(tool)).toEqual([])
  },
)
