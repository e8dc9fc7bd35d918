export const promptOption = {
  type: 'string',
  short: 'p',
  placeholder: 'PROMPT',
  optionalValue: true,
  summary:
    'Let the model work on this prompt, print its answer, and exit. Standard input, if it is not a terminal, is added after it; "-" or no PROMPT reads only that',
} as const

/** More options of `curfew -p`. */
export const promptOptions = {
  output: {
    type: 'choice',
    choices: ['text', 'json', 'stream-json'],
    placeholder: 'FORMAT',
    default: 'text',
    summary:
      'Print only the answer (text), one JSON object at the end (json), or one JSON object per line while it happens (stream-json)',
  },
  allow: {
    type: 'string',
    placeholder: 'RULE',
    multiple: true,
    summary:
      "Allow calls that match, as in script_weather or 'timeout(npm test)'. Without a terminal, calls that need approval are denied otherwise",
  },
  yes: {
    type: 'boolean',
    summary: 'Allow all calls that need approval. Deny rules still apply',
  },
  'add-dir': {
    type: 'string',
    placeholder: 'DIR',
    multiple: true,
    completes: 'folder',
    summary: "Also read and change files in this folder, in addition to the project's",
  },
  mode: {
    type: 'choice',
    choices: ['plan', 'ask', 'accept-edits'],
    placeholder: 'MODE',
    summary:
      'Run only read-only tools (plan), ask before others (ask, the default), or also run tools that edit files (accept-edits)',
  },
  continue: {
    type: 'boolean',
    conflicts: ['resume', 'no-session'],
    summary: 'Continue the last conversation about this project',
  },
  resume: {
    type: 'string',
    placeholder: 'ID',
    optionalValue: true,
    conflicts: ['no-session'],
    summary: 'Continue this conversation, or choose one on the terminal; curfew sessions lists them',
  },
  'no-session': { type: 'boolean', summary: 'Do not save the conversation' },
  'screen-reader': {
    type: 'boolean',
    conflicts: ['prompt'],
    summary: 'Write only lines of plain text, for screen readers, instead of drawing on the terminal',
  },
} as const
