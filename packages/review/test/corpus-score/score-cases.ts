import type { Dimension, Grade, ReviewedTool } from '../../src/review-types.ts'
import { definition, type Written } from './definition.ts'

export interface ScoreCase {
  readonly tool: ReviewedTool
  readonly grade: Grade
  /** A score, or the least and the most. */
  readonly scores: Partial<Readonly<Record<Dimension, number | readonly [least: number, most: number]>>>
}

const scored = (grade: Grade, scores: ScoreCase['scores'], written: Written): ScoreCase => ({
  tool: definition(written),
  grade,
  scores,
})
const text = (description: string, more: object = {}): object => ({ type: 'string', description, ...more })
const city = { city: text('Where, such as Oslo.', { minLength: 1 }) }
const bare = { type: 'string' }

export const scoreCases: readonly ScoreCase[] = [
  scored(
    'D',
    { purpose: 1, usage: 1, behaviour: 1, parameters: 1, conciseness: 1, completeness: 1 },
    { name: 'mystery' },
  ),
  scored('D', { purpose: 1, parameters: 1 }, { name: 'blank', description: '  \n ', properties: city }),
  scored(
    'D',
    { purpose: 2, usage: 1, behaviour: 1, completeness: 1 },
    { name: 'get_user', description: 'Get user.', properties: { id: bare } },
  ),
  scored('C', { purpose: 2, parameters: 4 }, { name: 'getUsers', description: 'Gets the users.' }),
  ...['get_user', 'getUser', 'get-user', 'GET_USER', 'get_user()', 'Tool: get_user', 'getuser'].map(
    (description) =>
      scored(
        'D',
        { purpose: 2, usage: 1, completeness: 1 },
        { name: 'get_user', description, properties: { id: bare } },
      ),
  ),
  scored(
    'D',
    { purpose: [1, 2] },
    { name: 'op6', title: 'Create Issue', description: 'CreateIssue', properties: { id: bare } },
  ),
  scored('D', { purpose: 2 }, { name: 'github_search', description: 'GitHub search.' }),
  scored(
    'C',
    { purpose: [3, 4] },
    { name: 'get_user', description: 'Get a GitHub user.', properties: { id: bare } },
  ),
  scored(
    'C',
    { purpose: 2 },
    { name: 'op7', title: 'Nightly sync', description: 'Perform the nightly sync.' },
  ),
  scored(
    'D',
    { purpose: 2 },
    { name: 'op8', annotations: { title: 'Nightly sync' }, description: 'Nightly sync.' },
  ),
  scored(
    'C',
    { purpose: [2, 3], usage: 2, behaviour: 2, parameters: 1 },
    { name: 'items', description: 'Handle items somehow.', properties: { data: bare } },
  ),
  scored(
    'C',
    { purpose: 3, parameters: 1 },
    {
      name: 'weather',
      description: 'Weather information for a city.',
      properties: { city: bare },
    },
  ),
  scored(
    'B',
    { purpose: 4, usage: 2, behaviour: 2, parameters: 4, conciseness: 5, completeness: 3 },
    { name: 'get_weather', description: 'Get the weather of a city.', properties: city, required: ['city'] },
  ),
  scored(
    'A',
    { purpose: 4, behaviour: 3, completeness: 4 },
    {
      name: 'get_weather',
      description: 'Get the weather of a city.',
      properties: city,
      required: ['city'],
      annotations: { readOnlyHint: true },
      outputSchema: { type: 'object' },
    },
  ),
  scored(
    'A',
    { purpose: 5, usage: 5, behaviour: 5, parameters: 4, conciseness: 5, completeness: 5 },
    {
      name: 'get_weather',
      description:
        "Get the weather of a city at this moment. Use it when somebody asks for now; not for later days: use 'get_forecast'. Returns degrees and wind; fails if the city is not found. At most 60 calls per minute.",
      properties: city,
      required: ['city'],
      annotations: { readOnlyHint: true },
    },
  ),
  scored(
    'A',
    { usage: 4, purpose: 5 },
    {
      name: 'read_file',
      description: 'Read a file as text. DEPRECATED: use read_text_file instead.',
      annotations: { readOnlyHint: true },
    },
  ),
  scored(
    'B',
    { usage: 3 },
    {
      name: 'tree',
      description: 'Show the tree of a directory. Useful for finding your way.',
      properties: { path: bare },
    },
  ),
  scored(
    'B',
    { usage: 2 },
    {
      name: 'tree',
      description: 'Show the tree of a directory. Use with caution in large ones.',
      properties: { path: text('The directory to begin with.') },
    },
  ),
  // A parameter in quotes is no other tool.
  scored(
    'B',
    { usage: 2, parameters: 4 },
    {
      name: 'head',
      description: "Show the first lines of a file. Use the 'count' parameter to say how many.",
      properties: { count: { type: 'integer', description: 'How many lines.' } },
    },
  ),
  scored(
    'A',
    { parameters: 5, purpose: 5 },
    {
      name: 'find_events',
      description:
        'Find events of a calendar between two days. Days must have the format YYYY-MM-DD; end_day defaults to start_day.',
      properties: {
        start_day: text('The first one, included.', { format: 'date' }),
        end_day: text('The last one, included.', { format: 'date', default: '' }),
      },
      required: ['start_day'],
    },
  ),
  scored(
    'C',
    { parameters: 2 },
    {
      name: 'convert',
      description: 'Convert an amount of money.',
      properties: { amount: text('How much.'), from: bare },
    },
  ),
  // What only repeats the parameter's name does not describe it.
  scored(
    'C',
    { parameters: 1 },
    {
      name: 'convert',
      description: 'Convert an amount of money.',
      properties: { amount: text('The amount.'), from: text('from') },
    },
  ),
  scored('B', { parameters: 4 }, { name: 'now', description: 'Tell the time of this machine.' }),
  scored(
    'B',
    { conciseness: 4 },
    {
      name: 'convert',
      description: 'This tool allows you to convert an amount of money between two currencies.',
    },
  ),
  scored(
    'B',
    { conciseness: 4 },
    {
      name: 'convert',
      description: 'Convert an amount of money between two currencies. IMPORTANT: mind the day.',
    },
  ),
  scored(
    'B',
    { conciseness: 4 },
    {
      name: 'convert',
      description:
        'Convert an amount of money between two currencies. Converts money between two currencies.',
    },
  ),
  scored(
    'B',
    { conciseness: 4 },
    {
      name: 'essay',
      description: `Write an essay on a topic. ${Array.from({ length: 120 }, (_, index) => `word${index}`).join(' ')}.`,
    },
  ),
  scored(
    'C',
    { conciseness: [1, 2] },
    { name: 'essay', description: Array.from({ length: 900 }, (_, index) => `word${index}`).join(' ') },
  ),
  scored(
    'B',
    { behaviour: 4, completeness: 3 },
    {
      name: 'write_file',
      description: 'Write a file. It overwrites what is there without warning; at most 10 MB.',
      properties: { path: text('Where to.'), content: text('What to write.') },
    },
  ),
  scored(
    'D',
    { purpose: 2, behaviour: 1, completeness: 1 },
    {
      name: 'delete_repository',
      description: 'Delete a repository.',
      properties: { id: text('Which one it is.') },
    },
  ),
  scored(
    'B',
    { behaviour: 5, completeness: 3 },
    {
      name: 'delete_repository',
      description:
        'Delete a repository. It cannot be undone, requires an admin token, and fails if the repository is missing.',
      properties: { id: text('Which one it is.') },
    },
  ),
  scored(
    'C',
    { behaviour: 1, purpose: [4, 5] },
    {
      name: 'delete_repository',
      description:
        'Delete a repository. It cannot be undone, requires an admin token, and fails if the repository is missing.',
      annotations: { readOnlyHint: true },
    },
  ),
]
