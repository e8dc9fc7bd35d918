/** `PRAGMA application_id` of a journal: `CfwJ`. */
export const applicationId = 0x4366774a

/** The states of a call that has not ended, in SQL. Indexes are used only if a query has the same list. */
export const liveStatuses = "'validating', 'awaiting_approval', 'scheduled', 'executing'"

/** What `--failed` means, in SQL. */
export const failedStatuses = "'error', 'lost'"

/**
 * Version 1. A file has one row per process that recorded calls, and one per call. `transitions` is JSON:
 * `[["validating",0],["executing",0.4]]`; so is `late_end`: `{"outcome":"returned","at":1762000000000}`. `parent` and
 * `detached_to` are numbers of calls of the same run. Rows are in the order of `id`; their times may not be, if the clock was set.
 */
const version1 = `
CREATE TABLE properties (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  program TEXT NOT NULL,
  version TEXT NOT NULL,
  pid INTEGER NOT NULL,
  identity TEXT NOT NULL,
  boot TEXT NOT NULL,
  host TEXT NOT NULL,
  socket TEXT,
  started_at INTEGER NOT NULL,
  seen_at INTEGER NOT NULL,
  ended_at INTEGER,
  lost INTEGER NOT NULL DEFAULT 0,
  dropped INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES runs (id),
  number INTEGER NOT NULL,
  uid INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  parent INTEGER,
  conversation TEXT NOT NULL,
  turn TEXT,
  batch INTEGER NOT NULL,
  session TEXT,
  tool TEXT NOT NULL,
  adapter TEXT,
  server TEXT,
  args TEXT NOT NULL,
  status TEXT NOT NULL,
  lost_in TEXT,
  code TEXT,
  message TEXT,
  problem TEXT,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  ended_at INTEGER,
  updated_at INTEGER NOT NULL,
  duration_ms REAL,
  transitions TEXT NOT NULL,
  timeout_ms REAL,
  timeout_source TEXT,
  requested_ms REAL,
  requested_source TEXT,
  shortened_by TEXT,
  allowed_by TEXT,
  rule TEXT,
  heals INTEGER NOT NULL DEFAULT 0,
  pauses INTEGER NOT NULL DEFAULT 0,
  paused_ms REAL NOT NULL DEFAULT 0,
  output_bytes INTEGER NOT NULL DEFAULT 0,
  output_tail TEXT NOT NULL DEFAULT '',
  output_path TEXT,
  result_bytes INTEGER,
  result_preview TEXT NOT NULL DEFAULT '',
  result_path TEXT,
  loaded INTEGER NOT NULL DEFAULT 0,
  background INTEGER NOT NULL DEFAULT 0,
  detached_to INTEGER,
  abandoned INTEGER NOT NULL DEFAULT 0,
  late_end TEXT
) STRICT;

CREATE UNIQUE INDEX calls_number ON calls (run, number);
-- Everything that statistics need, in an order in which new calls are appended: others would touch a page per call.
CREATE INDEX calls_tool ON calls (tool, created_at, status, duration_ms, timeout_ms, background, loaded);
CREATE INDEX calls_session ON calls (session) WHERE session IS NOT NULL;
CREATE INDEX calls_failed ON calls (id) WHERE status IN ('error', 'lost');
CREATE INDEX calls_live ON calls (run) WHERE status IN ('validating', 'awaiting_approval', 'scheduled', 'executing');
`

/** The step at index n turns version n into version n + 1. Steps are only ever added, because files of all versions exist. */
export const migrations: readonly string[] = [version1]

/** `PRAGMA user_version` of a current file. */
export const schemaVersion: number = migrations.length

/** In `properties`: the path of the project. */
export const projectProperty = 'project'

/** In `properties`: a `TimeRecord`. */
export const timeProperty = 'time'
