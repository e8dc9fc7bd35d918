import { type Dirent, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { readSmallFileIfAny } from '@curfew/core/internal'

const oid = '[0-9a-f]{40}(?:[0-9a-f]{24})?'
const refs = 'refs(?:/[^/.][^/]*)*'
/** Below `refs`: what would make a folder a repository. */
const ofRepository =
  /^(logs\/)?refs\/((?!remotes\/[^/]+\/HEAD$)(.*\/)?HEAD|remotes\/[^/]+\/(commondir|refs))(\/|$)/i
/**
 * The files that git writes into `.git` and only stores: because of them, it neither runs a program nor reads or writes elsewhere. Anything
 * else is unknown, such as `commondir`, `modules`, `objects/info/alternates`, or `MERGE_RR`, which contains paths that git writes to.
 */
const files = new RegExp(
  [
    String.raw`config|description|packed-refs(?:\.new)?|shallow(?:_\w+)?|gc\.log|(?!MERGE_RR$)[A-Z_]+`,
    String.raw`(?:next-)?index(?:-\d+|\.stash\.\d+)?|sharedindex[._]\w+|\w[\w.-]*\.(?:lock|pid)`,
    String.raw`hooks/[a-z-]+\.sample|info/(?:exclude|refs)|sequencer/(?:todo|done|head|opts|abort-safety)`,
    String.raw`(?:logs/)?${refs}(?:\.lock)?|logs/HEAD(?:\.lock)?|objects/maintenance\.lock`,
    String.raw`objects/[0-9a-f]{2}/(?:[0-9a-f]{38}|[0-9a-f]{62}|tmp_obj_\w+)|objects/pack/tmp_\w+`,
    String.raw`objects/pack/(?:(?:\.tmp-\d+-)?pack-${oid}\.[a-z]+|multi-pack-index(?:-${oid}\.[a-z]+)?)(?:\.lock)?`,
    String.raw`objects/info/(?:packs|commit-graph|commit-graphs/(?:commit-graph-chain|graph-${oid}\.graph))(?:_\w+|\.lock)?`,
    String.raw`lfs/objects(?:/[0-9a-f]{2}){2}/[0-9a-f]{64}|lfs/tmp/[\w-]+`,
  ]
    .map((one) => `^(?:${one})$`)
    .join('|'),
)
const folders = new RegExp(
  `^(?:hooks|info|branches|sequencer|logs|(?:logs/)?${refs}|objects(?:/(?:[0-9a-f]{2}|pack|info(?:/commit-graphs)?))?|lfs(?:/(?:tmp|objects(?:/[0-9a-f]{2}){0,2}))?)$`,
)
const maxEntries = 1_000_000
export const maxIndexBytes: number = 1 << 28

/** Paths relative to a `.git` folder, without what is inside of unknown folders. `isKnown` overrides the table. Throws if the folder has too many entries. */
export function unknownInGit(
  folder: string,
  hashBytes: number,
  isKnown: (path: string) => boolean | null = () => null,
): readonly string[] {
  const unknown: string[] = []
  const pending = ['']
  let count = 0
  for (let within = pending.pop(); within !== undefined; within = pending.pop()) {
    const entries = entriesOf(join(folder, within))
    if (entries === null) unknown.push(within)
    count += entries?.length ?? 0
    if (count > maxEntries) throw new Error(`${folder} has more than ${maxEntries} entries`)
    for (const entry of entries ?? []) {
      const path = join(within, entry.name)
      const isFolder = entry.isDirectory()
      const isInTable = (isFolder ? folders : files).test(path) && !ofRepository.test(path)
      const isData = (isFolder || entry.isFile()) && (isKnown(path) ?? isInTable) && !path.includes('\ufffd')
      if (!isData || !(isFolder || isHarmless(join(folder, path), path, hashBytes))) unknown.push(path)
      else if (isFolder) pending.push(path)
    }
  }
  return unknown
}

/** `null` if they cannot be listed. */
function entriesOf(folder: string): readonly Dirent[] | null {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? [] : null
  }
}

/** Checks the files that contain paths, or the name of a program. */
function isHarmless(file: string, path: string, hashBytes: number): boolean {
  const isIndex = /^(sharedindex\b.*|index)$/.test(path)
  if (!isIndex && path !== 'sequencer/opts') return true
  const bytes = readSmallFileIfAny(file, maxIndexBytes)
  if (bytes === null) return false
  return isIndex ? isHarmlessIndex(bytes, hashBytes) : !/strategy/i.test(bytes.toString('latin1'))
}

/** True if all paths are inside of the work tree. Git does not check that when it reads an index and writes its files. */
function isHarmlessIndex(bytes: Buffer, hashBytes: number): boolean {
  try {
    const version = bytes.readUInt32BE(4)
    let left = bytes.readUInt32BE(8)
    let name = ''
    for (let at = 12; left > 0; left--) {
      const flags = bytes.readUInt16BE(at + 40 + hashBytes)
      let start = at + 42 + hashBytes + (flags & 0x4000 ? 2 : 0)
      let kept = 0
      if (version === 4) {
        // The number of bytes to remove from the last name, in git's variable-length encoding.
        let byte = bytes.readUInt8(start++)
        let removed = byte & 127
        for (; byte & 128; removed = (removed + 1) * 128 + (byte & 127)) byte = bytes.readUInt8(start++)
        kept = name.length - removed
      }
      const end = bytes.indexOf(0, start)
      // Longer than any path, and slow to compare.
      if (end - start > 4_096 || name.length > 4_096) return false
      name = name.slice(0, kept) + bytes.toString('latin1', start, end)
      const length = flags & 0xfff
      if (kept < 0 || end < 0 || (length < 0xfff ? name.length !== length : name.length < length))
        return false
      if (version < 2 || version > 4 || /^\/|(^|\/)(\.\.|\.git)(\/|$)/i.test(name)) return false
      at = version === 4 ? end + 1 : at + ((end - at + 8) & ~7)
    }
    return true
  } catch {
    return false
  }
}
