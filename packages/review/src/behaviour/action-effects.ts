/** Effects of an action beyond changing something. */
export type ActionEffect = 'deletes' | 'overwrites' | 'repeats' | 'network'

/** Verbs and the objects with which they have an effect. With any other object they may have none: `book details`. */
const table: readonly (readonly [verbs: string, objects: string, effects?: readonly ActionEffect[]])[] = [
  [
    'shutdown shut',
    'server machine computer host device instance vm node system service router simulator down',
  ],
  [
    'transfer withdraw deposit',
    'fund money amount balance payment ether bitcoin coin share ownership',
    ['repeats'],
  ],
  [
    'book reserve',
    'flight table room hotel appointment seat meeting car trip ride restaurant ticket slot device',
    ['repeats'],
  ],
  [
    'buy sell purchase',
    'stock share product item coin ticket bitcoin crypto domain asset token',
    ['repeats'],
  ],
  ['order', 'pizza food meal grocery', ['repeats']],
  ['place', 'order bet bid trade call block object marker', ['repeats']],
  ['type input', 'field input element box editor keyboard device window control textbox terminal'],
  ['fill', 'form field input element textbox area'],
  ['select choose', 'option dropdown element checkbox'],
  ['check uncheck', 'checkbox'],
  ['make', 'call payment purchase reservation booking donation transfer', ['repeats']],
  ['print', 'document label receipt'],
  ['handle accept', 'dialog alert popup invitation prompt'],
  [
    'resize',
    'window page browser viewport terminal node layer shape element cluster disk volume instance droplet',
  ],
  ['emulate', 'device media feature network condition page geolocation'],
  ['submit', 'form review feedback order job application', ['repeats']],
  ['clear', 'history chat conversation trash cart queue', ['deletes']],
  ['empty flush', 'trash bin queue cache cart', ['deletes']],
  ['reset', 'database device', ['deletes']],
  ['terminate', 'instance vm cluster server', ['deletes']],
  ['force', 'push', ['overwrites']],
  ['toggle', 'feature flag light lamp switch device setting mode plugin', ['repeats']],
  ['turn', 'light lamp device heating tv flag feature switch plug fan appliance'],
  ['schedule', 'meeting appointment call event job task post email interview', ['repeats']],
  ['create', 'meeting appointment booking', ['repeats']],
  ['like unlike', 'post tweet video photo comment song'],
  ['roll', 'release deployment update version migration transaction service back'],
  ['revert', 'release deployment commit change migration merge'],
  ['apply', 'migration patch manifest configuration replacement edit change label cherry terraform yaml'],
  ['scale', 'deployment cluster service replica statefulset instance resource app'],
  ['trigger run rerun execute start', 'backup build deployment workflow pipeline job webhook', ['repeats']],
  [
    'run execute start',
    'migration task playbook flow scenario automation macro test app application training experiment container sync trade order transfer payment transaction swap',
  ],
  ['build compile', 'app project simulator sim target scheme package workspace'],
  ['test', 'simulator sim'],
  ['resolve', 'thread incident alert issue conversation discussion comment error'],
  ['open close', 'issue ticket pr position door gate app application'],
  ['convert', 'lead'],
  ['forward', 'message email mail port call'],
  ['join leave', 'channel group room meeting call chat team guild organization voice'],
  ['complete', 'task todo item checkout purchase order goal migration'],
  ['transition', 'issue ticket'],
  ['log', 'work worklog workout meal activity expense call decision'],
  ['request', 'review reviewer ride signature approval refund payment responder'],
  ['touch', 'file'],
  ['capture', 'payment charge authorization invoice'],
  ['pull', 'image model change repository'],
  ['bring', 'up down service container'],
  ['call', 'service webhook procedure', ['repeats']],
  ['invoke', 'function lambda webhook action', ['repeats']],
  ['control', 'device light lamp player playback browser tv thermostat computer'],
  ['play skip', 'track song album playlist music sound media episode next previous audio file'],
  ['group', 'node tab element shape layer'],
  ['reload', 'config configuration service daemon extension plugin'],
  ['train', 'model'],
  ['sign', 'transaction'],
  ['burn bridge', 'token coin'],
  ['confirm', 'booking order payment appointment reservation'],
  ['end', 'meeting call session conversation sprint poll'],
  ['dispatch', 'event action workflow job', ['repeats']],
  ['track', 'event expense'],
  ['ship', 'order'],
  ['index', 'document file repository codebase page'],
  ['generate', 'key credential certificate'],
  ['issue', 'refund certificate token card'],
  ['give', 'access permission feedback'],
  ['refresh', 'dataset cache index token view'],
  ['draw', 'rectangle circle ellipse polygon shape frame line'],
  ['shake', 'device phone'],
  ['connect', 'source account integration wallet'],
  ['enqueue queue', 'job message task item check track song', ['repeats']],
  ['post', 'tweet', ['repeats', 'network']],
  ['tweet retweet', 'message text update tweet', ['repeats', 'network']],
  ['leave', 'comment review note'],
  ['report', 'scorecard feedback spam'],
]

interface Action {
  readonly objects: ReadonlySet<string>
  readonly effects: readonly ActionEffect[]
}

const actions = new Map<string, Action[]>()
for (const [verbs, objects, effects = []] of table)
  add(verbs, { objects: new Set(objects.split(' ')), effects })

function add(verbs: string, action: Action): void {
  for (const verb of verbs.split(' ')) actions.set(verb, [...(actions.get(verb) ?? []), action])
}

export const actionVerbs: ReadonlySet<string> = new Set(actions.keys())

/** What the verb does to these objects beyond changing them; `undefined` if it may change nothing. */
export function actionEffects(verb: string, objects: readonly string[]): readonly ActionEffect[] | undefined {
  return actions.get(verb)?.find((action) => objects.some((object) => action.objects.has(object)))?.effects
}
