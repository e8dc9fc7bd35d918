/** Well-known abbreviations without a vowel. */
const wellKnown: ReadonlySet<string> = new Set(
  `bcc bgp bpm btc btw bzip cc cd cdc cdn cmd cms crc crc32 crlf crm csrf css css3 csv ctrl cv cvs db dbms dbt ddl dhcp dll dm dml dms dns dsl dsn
dst dvd fd ffmpeg fft fps fs ftp fx gb gcp gcs gdb gdp gdpr gh gl gmt gps gpt grpc gtm gz hcl hd hdfs hdr hls hn hr hsl html html5 http https hz
i18n jpg jq js jsx jvm jwt k8s kb kml kms ksql kv kvm lf lfs lhs lldb llm lng ls lsp ltr lts ltv lvm mb mcp md md5 mdx ml mp3 mp4 mpg mqtt mrr ms
mssql mvc mx nfl nfs nft nlp npm nps npx ns nth ntp nvm pbx pdb pdf pgp pgsql php pkcs pm png pnpm pptx pr prng prs ps psd pwd px qps qr rc
rdf rdp rds rfc rgb rhs rls rm rpc rpm rss rsync rtf rtl rtsp rtt s3 sdk sftp smb sms smtp snmp sns spf sql sqs src ssd ssh ssl ssn ssr std str
svg svn tcp tf tgz tld tls tmp tmux ts tsv tsx ttl tts tv tvl txt vcf vcs vm vms vnc vpc vpn vps vs wcag wp wsdl www x xhr xls xlsx xml xmpp
xsd xslt xss y z zfs zsh zstd`.split(/\s+/),
)

/** Abbreviations that a name should spell out. */
const expansions: Readonly<Record<string, string>> = {
  acct: 'account',
  addr: 'address',
  agg: 'aggregate',
  alloc: 'allocate',
  amt: 'amount',
  appt: 'appointment',
  attr: 'attribute',
  attrs: 'attributes',
  bal: 'balance',
  bkp: 'backup',
  btn: 'button',
  calc: 'calculate',
  cfg: 'config',
  chk: 'check',
  clr: 'clear',
  cmp: 'compare',
  cnt: 'count',
  cnv: 'convert',
  conn: 'connection',
  cpy: 'copy',
  ctx: 'context',
  cust: 'customer',
  del: 'delete',
  dept: 'department',
  desc: 'description',
  dest: 'destination',
  elem: 'element',
  emp: 'employee',
  evt: 'event',
  evts: 'events',
  fld: 'field',
  fmt: 'format',
  fn: 'function',
  freq: 'frequency',
  fwd: 'forward',
  gen: 'generate',
  grp: 'group',
  hist: 'history',
  idx: 'index',
  imgs: 'images',
  lbl: 'label',
  lst: 'list',
  mgmt: 'management',
  mgr: 'manager',
  mng: 'manage',
  msg: 'message',
  msgs: 'messages',
  nbr: 'number',
  nm: 'name',
  notif: 'notification',
  pkg: 'package',
  pkgs: 'packages',
  pmt: 'payment',
  pref: 'preference',
  prefs: 'preferences',
  proc: 'process',
  proj: 'project',
  pw: 'password',
  qry: 'query',
  qty: 'quantity',
  rcpt: 'receipt',
  rec: 'record',
  recs: 'records',
  recv: 'receive',
  req: 'request',
  resp: 'response',
  rmv: 'remove',
  rpt: 'report',
  rsp: 'response',
  sched: 'schedule',
  sess: 'session',
  snd: 'send',
  srch: 'search',
  srv: 'server',
  stmt: 'statement',
  svc: 'service',
  svcs: 'services',
  svr: 'server',
  tbl: 'table',
  tkt: 'ticket',
  tmpl: 'template',
  tok: 'token',
  tpl: 'template',
  trx: 'transaction',
  txn: 'transaction',
  txns: 'transactions',
  upd: 'update',
  usr: 'user',
  usrs: 'users',
  wf: 'workflow',
  wkfl: 'workflow',
  xfer: 'transfer',
  xlate: 'translate',
  xtn: 'extension',
}

/** Words that are abbreviations only next to another one: `svc_stat`. */
const companions: Readonly<Record<string, string>> = { stat: 'status', ver: 'version', tx: 'transaction' }

/** Expands a word of a name that contains another abbreviation. */
export function expandCompanion(word: string): string {
  return Object.hasOwn(companions, word) ? companions[word]! : expandWord(word)
}

/** Abbreviations from the table, and any other word without a vowel. */
export function isUnknownAbbreviation(word: string): boolean {
  if (!/^[a-z\d]+$/.test(word)) return false
  const bare = word.replace(/\d+$/, '')
  if (bare === '' || wellKnown.has(word) || wellKnown.has(bare)) return false
  // `v2` is a version.
  if (bare === 'v') return bare === word
  return Object.hasOwn(expansions, bare) || !/[aeiouy]/.test(bare)
}

/** The full word from the table, or the word itself. */
export function expandWord(word: string): string {
  return Object.hasOwn(expansions, word) ? expansions[word]! : word
}

/** Expands an abbreviation from the words around it: `wthr` next to weather, `pr` next to pull request. */
export function expandFrom(word: string, context: readonly string[]): string | undefined {
  const known = expandWord(word)
  if (known !== word) return known
  const letters = word.replace(/\d+$/, '')
  const longer = context.find(
    (candidate) => candidate.length > letters.length && containsLetters(candidate, letters),
  )
  if (longer !== undefined) return longer
  if (letters.length < 2 || letters.length > 6) return undefined
  for (let start = 0; start + letters.length <= context.length; start++) {
    const run = context.slice(start, start + letters.length)
    if (run.every((candidate, index) => candidate.startsWith(letters[index]!))) return run.join('_')
  }
  return undefined
}

/** Whether a word contains the letters in order, starts with the first and is at most three times as long. */
function containsLetters(candidate: string, letters: string): boolean {
  if (candidate[0] !== letters[0] || candidate.length > letters.length * 3) return false
  let position = 0
  for (const letter of candidate) if (letter === letters[position]) position++
  return position === letters.length && letters.length >= 2
}
