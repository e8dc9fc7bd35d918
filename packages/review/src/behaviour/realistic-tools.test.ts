import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { reviewedTool } from '../../test/reviewed-tool.ts'
import { findContradictions } from './find-contradictions.ts'

type Properties = Readonly<Record<string, object>>
type Tools = readonly (readonly [name: string, description: string, properties: Properties])[]

const text = (description: string): object => ({ type: 'string', description })
const choice = (...values: string[]): object => ({ type: 'string', enum: values })

/**
 * A name and a description per line, in the style of published servers of many domains. The writers change something,
 * the readers do not; for the missed writers, the words do not decide or are unknown.
 */
function corpus(name: string): Tools {
  const file = new URL(`../../test/corpus-behaviour/${name}.txt`, import.meta.url)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => {
    const [tool = '', description = ''] = line.split(' | ')
    return [tool, description, {}]
  })
}

/** Tools whose parameters show that they change something. */
const writersByParameter: Tools = [
  [
    'execute_sql',
    'Execute any SQL statement against the connected Postgres database.',
    { sql: text('The statement.') },
  ],
  [
    'hset',
    'Set a field of a hash stored at a key.',
    { key: text('Key.'), field: text('Field.'), value: text('Value.') },
  ],
  [
    'zip_folder',
    'Compress a folder into a zip archive on disk.',
    { folder: text('Folder.'), output_path: text('Where the archive is written.') },
  ],
  [
    'export_report',
    'Export the report as PDF.',
    { outputPath: text('Path of the file to save the PDF to.') },
  ],
  ['git_add', 'Stage file contents for the next commit.', { files: { type: 'array' } }],
  [
    'manage_subscription',
    'Manage the subscription of a notification thread.',
    { action: choice('ignore', 'watch', 'delete') },
  ],
  ['mark_as_read', 'Mark messages as read.', { ids: { type: 'array' } }],
  ['pods_exec', 'Execute a command in a pod.', { command: { type: 'array' } }],
  [
    'dns_record',
    'Manage DNS records of a zone.',
    { operation: choice('list', 'create', 'update', 'delete') },
  ],
  ['capture_page', 'Capture a screenshot of the page and save it to disk.', { path: text('File to write.') }],
  [
    'take_screenshot',
    'Take a screenshot of the screen.',
    { save_path: text('Optional path to save the image to.') },
  ],
  ['applescript_execute', 'Run AppleScript code on the Mac.', { code: text('AppleScript code.') }],
  ['control_device', 'Control a smart device.', { action: choice('turn_on', 'turn_off', 'toggle') }],
  [
    'spotifyPlayback',
    'Manages the current playback with the following actions: get, start, pause, skip.',
    { action: choice('get', 'start', 'pause', 'skip') },
  ],
  ['spotifyQueue', 'Manage the playback queue', { action: choice('add', 'get') }],
  ['format_range', 'Apply formatting to a range of cells.', { filepath: text('Path to the Excel file') }],
  ['add_paragraph', 'Add a paragraph to a Word document.', { filename: text('Path to the Word document') }],
  [
    'unity_manage_scene',
    'Performs CRUD operations on scenes.',
    { action: choice('load', 'save', 'create', 'get_hierarchy') },
  ],
  ['droplet_power', 'Power a droplet on or off', { action: choice('power_on', 'power_off', 'reboot') }],
  ['run_gcloud_command', 'Executes a gcloud command.', { args: { type: 'array' } }],
  [
    'netlify-env',
    'Manage environment variables',
    { operation: choice('getAllEnvVars', 'upsertEnvVar', 'deleteEnvVar') },
  ],
  [
    'salesforce_dml',
    'Perform data manipulation operations: insert, update, delete or upsert.',
    { operation: choice('insert', 'update', 'delete', 'upsert') },
  ],
  [
    'image_generate_file',
    'Generate an image from a prompt and save it.',
    { output_directory: text('Directory for the images') },
  ],
  ['pdf_merge', 'Merge PDF files into one', { inputs: { type: 'array' }, output: text('Output file path') }],
  ['screenshot_save', 'Save a screenshot as PNG file', { filename: text('File name') }],
  ['git_tag', 'Create, list or delete tags', { mode: choice('list', 'create', 'delete') }],
  ['cookies', 'Get, set or delete cookies of the browser.', { operation: choice('get', 'set', 'delete') }],
  ['local_storage', 'Manage local storage.', { action: text('One of get, set, remove or clear.') }],
  [
    'database',
    'Work with the database.',
    { action: text("Operation to perform: 'list', 'query', 'insert' or 'delete'") },
  ],
  ['execute_query', 'Execute a SQL query on MySQL.', { query: text('SQL query to execute') }],
  ['mysql_query', 'Run SQL queries against MySQL database.', { sql: text('The SQL query to execute') }],
  [
    'export_csv',
    'Exports the selected rows to a CSV file.',
    { filename: text('Name of the file to write.') },
  ],
  ['get_report', 'Get the report as PDF.', { save_path: text('If given, the PDF is stored there.') }],
  ['capture_har', 'Capture network traffic.', { outputFile: text('HAR file') }],
  ['invoke_tool', 'Invoke an action of a connected app.', { action: text('Name') }],
  [
    'run_sql_transaction',
    'Use this tool to execute a SQL transaction against a database.',
    { sqlStatements: { type: 'array' } },
  ],
  [
    'manage_assignments',
    'Bulk assignment operations for multiple tasks.',
    { operation: choice('assign', 'unassign', 'reassign') },
  ],
  ['search_replace', 'Performs search and replace within a note', { filePath: text('note') }],
  [
    'file_writer',
    'Writes the given content to the given path, creating directories as necessary.',
    { path: text('p'), content: text('c') },
  ],
  [
    'playwright_save_as_pdf',
    'Save the current page as a PDF file',
    { outputPath: text('Directory path where PDF will be saved') },
  ],
]

const readersWithParameters: Tools = [
  [
    'explain_query',
    'Show the execution plan of a SQL statement.',
    { sql: text('The statement to explain.') },
  ],
  ['query_metrics', 'Query metrics with PromQL.', { query: text('PromQL expression to execute.') }],
  ['search_logs', 'Search logs with a query.', { query: text('Query to run.') }],
  ['web_fetch', 'Fetch a page and convert it to Markdown.', { url: text('URL.') }],
  ['directions', 'Get directions between two places.', { mode: choice('driving', 'walking', 'transit') }],
  ['count_rows', 'Count the rows that match a filter.', { filter: { type: 'object' } }],
  ['sort_records', 'List records in the given order.', { order: choice('asc', 'desc') }],
  ['list_items', 'List items by state.', { action: choice('created', 'updated', 'deleted') }],
  ['read_notes', 'Read notes from the vault.', { path: text('Path of the note to read.') }],
  ['hget', 'Get a field of a hash', { key: text('The key') }],
  ['list_records', 'List records from a table', { view: text('view'), filterByFormula: text('f') }],
  ['gmail_search', 'Search emails with Gmail syntax', { query: text('q') }],
  ['download_drive_file', 'Get the content of a file', { fileId: text('id') }],
  ['drive_search', 'Search files', { folder: text('Folder to search in') }],
  ['read_pdf', 'Extract text from a PDF', { path: text('Path to the PDF file to read') }],
  ['list_network_requests', 'List requests', { resourceType: choice('document', 'script') }],
  ['search_pull_requests', 'Search pull requests', { order: choice('asc', 'desc') }],
  ['maps_directions', 'Get directions', { mode: choice('driving', 'walking') }],
  ['calculator', 'Evaluate a mathematical expression', { expression: text('Expression') }],
  ['get_cookies', 'Get cookies of the page', { domain: text('d') }],
  ['list_actions', 'List actions', { type: choice('create', 'update') }],
  ['audit_log', 'Search the audit log', { action: choice('create', 'update', 'delete') }],
  ['filter_events', 'Returns events', { operation: text('Filter by operation: create, update or delete') }],
  ['scan_repo', 'Scan a repository for secrets', { path: text('Path to the repository to scan') }],
  ['load_file', 'Load a CSV file', { file_path: text('Path to the CSV file') }],
  ['get_output', 'Get output of a build', { output_dir: text('Directory that contains the output to read') }],
  ['parse_log', 'Parse a log file', { file: text('File where the logs are stored') }],
  ['format_sql', 'Format a SQL statement', { sql: text('SQL') }],
  ['validate_sql', 'Validates SQL without executing it', { sql: text('SQL to validate') }],
  ['explain_sql', 'Explain a query', { query: text('SQL query') }],
  ['run_readonly_query', 'Run a read-only SQL query', { sql: text('SELECT statement') }],
  ['execute_select', 'Execute SELECT statements only', { sql: text('The statement') }],
  ['query_logs', 'Query logs', { query: text('Query to run') }],
  ['search_code', 'Search code', { path: text('Folder to search') }],
  ['web_search', 'Search the web', { save: text('x') }],
  ['get_view', 'Prints the view hierarchy using the currently booted simulator', { path: text('x') }],
]

function isFlagged(name: string, description: string, properties: Properties): boolean {
  const annotations = { readOnlyHint: true }
  return findContradictions(reviewedTool({ name, description, properties, annotations })).length > 0
}

describe('tools in the style of published servers', () => {
  test.each([...corpus('writers'), ...writersByParameter])(
    '%s changes something: %s',
    (name, description, properties) => {
      expect(isFlagged(name, description, properties)).toBe(true)
    },
  )
  test.each([...corpus('readers'), ...readersWithParameters])(
    '%s changes nothing: %s',
    (name, description, properties) => {
      expect(isFlagged(name, description, properties)).toBe(false)
    },
  )
  test.each(corpus('missed-writers'))('%s is a known miss: %s', (name, description, properties) => {
    expect(isFlagged(name, description, properties)).toBe(false)
  })
})
