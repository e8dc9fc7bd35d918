import { expect, test } from 'vitest'
import { reviewedTool } from '../../test/reviewed-tool.ts'
import { inferBehaviour } from './infer-behaviour.ts'

/** Names and descriptions of real servers, with the inferred effects: any of runs, writes, deletes, network. */
const cases: readonly (readonly [name: string, description: string, effects: string])[] = [
  ['git_commit', 'Records changes to the repository', 'writes'],
  ['git_add', 'Adds file contents to the staging area', 'writes'],
  ['git_reset', 'Unstages all staged changes', 'writes'],
  ['git_status', 'Shows the working tree status', ''],
  ['git_diff_staged', 'Shows changes that are staged for commit', ''],
  ['git_log', 'Shows the commit logs', ''],
  ['git_checkout', 'Switches branches', 'writes'],
  ['git_create_branch', 'Creates a new branch from an optional base branch', 'writes'],
  ['fetch', 'Fetches a URL from the internet and optionally extracts its contents as markdown.', 'network'],
  ['slack_post_message', 'Post a new message to a Slack channel', 'writes network'],
  ['slack_get_channel_history', 'Get recent messages from a channel', ''],
  ['slack_add_reaction', 'Add a reaction emoji to a message', 'writes'],
  ['query', 'Run a read-only SQL query', ''],
  ['puppeteer_navigate', 'Navigate to a URL', 'network'],
  ['puppeteer_screenshot', 'Take a screenshot of the current page or a specific element', ''],
  ['puppeteer_evaluate', 'Execute JavaScript in the browser console', 'runs'],
  ['create_or_update_file', 'Create or update a single file in a GitHub repository', 'writes'],
  ['search_repositories', 'Search for GitHub repositories', ''],
  ['push_files', 'Push multiple files to a GitHub repository in a single commit', 'writes'],
  ['merge_pull_request', 'Merge a pull request', 'writes'],
  ['list_commits', 'Get list of commits of a branch in a GitHub repository', ''],
  ['get_pull_request_comments', 'Get the review comments on a pull request', ''],
  ['fork_repository', 'Fork a GitHub repository to your account or specified organization', 'writes'],
  ['convert_time', 'Convert time between timezones', ''],
  [
    'brave_web_search',
    'Performs a web search using the Brave Search API, ideal for general queries, news, articles, and online content.',
    'network',
  ],
  ['maps_geocode', 'Convert an address into geographic coordinates', ''],
  ['write_query', 'Execute an INSERT, UPDATE, or DELETE query on the SQLite database', 'writes deletes'],
  ['read_query', 'Execute a SELECT query on the SQLite database', ''],
  ['create_table', 'Create a new table in the SQLite database', 'writes'],
  ['append_insight', 'Add a business insight to the memo', 'writes'],
  ['set', 'Set a Redis key-value pair with optional expiration', 'writes'],
  ['send_notification', 'Sends a push notification to the device.', 'writes'],
  ['get_command_output', 'Returns the output of the last command that was run.', ''],
  ['edit_block', 'Apply surgical text replacements to files', 'writes'],
  ['kill_process', 'Terminate a running process by PID', 'writes'],
  ['start_search', 'Start a streaming search that returns results progressively', ''],
  ['generate_image', 'Create an image from a text prompt', ''],
  ['send_prompt', 'Send a prompt to a language model and return its answer', ''],
  ['format_code', 'Format code and return it', ''],
  ['check_url', 'Check whether a URL is well formed', ''],
  ['store_value', 'Store a value in memory for later', 'writes'],
  ['add_days', 'Add days to a date', ''],
  ['move_cursor', 'Move the cursor to a position', ''],
  ['make_uuid', 'Make a new UUID', ''],
  ['start_timer', 'Start a timer and return its id', ''],
  ['replace_text', 'Replace a word in a string', ''],
  ['import_contacts', 'Import contacts from a CSV file', 'writes'],
  ['terminal_execute', 'Runs the given command line in a terminal', 'runs'],
  ['docker_run', 'Run a container from an image', 'runs writes'],
  ['npm', 'Install or remove packages', 'writes removes'],
  ['cancel_order', 'Cancels an order', 'writes'],
  ['translate', 'Translate text and write it in the target language', ''],
  ['compare_files', 'Compare two files and create a diff report', ''],
  ['export_pdf', 'Export a page as PDF', ''],
  ['log_message', 'Log a message', ''],
  ['post_process', 'Post-process a text', ''],
  ['search_posts', 'Search posts by author', ''],
  ['commit_info', 'Commit details by hash', ''],
  ['order_items', 'Order items by price', ''],
  ['book_search', 'Book search by title', ''],
  ['schedule', 'Schedule of trains between two stations', ''],
  ['file_updates', 'Updates of a file since a date', ''],
  ['send_feedback_preview', 'Preview what would be sent', ''],
]

test.each(cases)('%s, %s: %s', (name, description, expected) => {
  const behaviour = inferBehaviour(reviewedTool({ name, description }))
  const effects = (['runs', 'writes', 'deletes', 'removes', 'network'] as const).filter(
    (effect) => behaviour[effect].length > 0,
  )
  expect(effects.join(' '), JSON.stringify(behaviour)).toBe(expected)
})

test('a program that takes arguments runs commands, whatever its description says', () => {
  const properties = { args: { type: 'string', description: 'Command-line arguments.' } }
  const tool = reviewedTool({ name: 'kubectl', description: 'Manage the cluster.', properties })
  expect(inferBehaviour(tool).runs).toEqual(['parameter: args'])
})
