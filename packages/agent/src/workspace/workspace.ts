import type { Restriction } from '@curfew/core'
import type { LinkedFiles } from './link-targets.ts'

/** The folders that an agent works in, and what it may do with the files there. */
export interface Workspace {
  /** The real path of the project's folder. Relative paths start here. */
  readonly root: string
  /** The real paths of all folders that may be read and changed: the root, and those of `--add-dir`. */
  readonly folders: readonly string[]
  /**
   * Where a path leads, with all links followed. The file need not exist. Never throws for a string: a path that cannot be
   * resolved is `outside`.
   */
  locate(path: string): FileLocation
  /** The pattern of `secretFiles` that matches a real path; `null` if none does. Does not access the disk. */
  secretName(realPath: string): string | null
  /** The same, also for what a link with such a name leads to. */
  secretPattern(realPath: string): string | null
  /** Why changing a file with this real path is a way to run code or to change permissions; `null` if its names do not say so. */
  whyProtected(realPath: string): string | null
  /** The files and folders of the workspace that the configuration of its repository, or of one of these, names. */
  namedByGit(repositories: readonly string[]): readonly string[]
  /** Call it with the links in the workspace that a scan found. Returns what they lead to, if that is secret or protected. */
  addLinks(links: readonly string[]): LinkedFiles
  /**
   * The tool's `restrict` for a path that is read: secret files and files outside are denied. Where the path leads can change, so a tool
   * passes the location that it is about to use.
   */
  restrictRead(path: string | FileLocation): Restriction | null
  /** The same for a path that is changed: protected files always need the approval of a person, too. */
  restrictWrite(path: string | FileLocation): Restriction | null
}

export interface FileLocation {
  /** Absolute, with links followed. A part that does not exist yet is appended unchanged. */
  readonly realPath: string
  /** How people and models see it, in one line: relative to the root if it is inside of it, with invisible characters escaped. */
  readonly shownPath: string
  /** `readable`: outside of the folders, but reading is allowed, such as files with long results. */
  readonly area: 'inside' | 'readable' | 'outside'
  /** Why the path cannot be resolved, such as `it contains a NUL character`; `null` if it can. */
  readonly problem: string | null
  /** The pattern of `secretFiles` that matches the path or what it leads to; `null` if none does. */
  readonly secret: string | null
  /** Why changing it is a way to run code or to change permissions; `null` if it is not. */
  readonly protected: string | null
}
