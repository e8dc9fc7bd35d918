/** Effects of an action beyond changing something. */
export type ActionEffect = 'deletes' | 'overwrites' | 'repeats' | 'network'

/** Verbs and the objects with which they have an effect. With any other object they may have none: `book details`. */
const table: readonly (readonly [verbs: string, objects: string, effects?: readonly ActionEffect[]])[] = [
  ['reboot shutdown shut', 'server machine computer host device instance vm node system service router'],
  [
    'transfer withdraw deposit',
    'fund money amount balance payment ether bitcoin coin share ownership',
    ['repeats'],
  ],
  [
    'book reserve',
    'flight table room hotel appointment seat meeting car trip ride restaurant ticket slot',
    ['repeats'],
  ],
  ['buy sell purchase', 'stock share product item coin ticket bitcoin crypto domain asset', ['repeats']],
  ['order', 'pizza food meal', ['repeats']],
  ['place', 'order bet bid trade', ['repeats']],
  ['cancel', 'booking reservation appointment meeting'],
  ['refund', 'payment order charge customer transaction', ['repeats']],
  ['grant revoke', 'access permission role token privilege consent key user'],
  ['click', 'element button link page browser mouse puppeteer playwright checkbox'],
  ['press', 'key button'],
  ['type', 'field input element box editor'],
  ['drag', 'element item card'],
  ['fill', 'form field input'],
  ['submit', 'form', ['repeats']],
  ['clear', 'history chat conversation trash cart queue', ['deletes']],
  ['empty flush', 'trash bin queue cache cart', ['deletes']],
  ['reset', 'database device', ['deletes']],
  ['force', 'push', ['overwrites']],
  [
    'enable disable activate deactivate',
    'feature flag light lamp device alarm plugin extension mode notification user account',
  ],
  ['toggle', 'feature flag light lamp switch device setting mode plugin', ['repeats']],
  ['turn', 'light lamp device heating tv'],
  ['set', 'temperature thermostat volume brightness topic'],
  ['lock unlock', 'door account screen device car'],
  ['schedule', 'meeting appointment call event job task post email interview', ['repeats']],
  ['create', 'meeting appointment booking', ['repeats']],
  ['subscribe unsubscribe', 'user person customer newsletter list email'],
  ['ban unban kick mute unmute block unblock', 'user member person player account channel sender'],
  ['follow unfollow', 'user account channel'],
  ['like unlike upvote downvote', 'post tweet video photo comment song'],
  ['star unstar', 'repository repo project'],
  ['roll rollback', 'release deployment update version migration transaction service'],
  ['revert', 'release deployment commit change migration merge'],
  ['sync synchronize synchronise', 'repository repo folder directory file calendar contact database account'],
  ['apply', 'migration patch manifest'],
  ['restore', 'database backup file snapshot volume'],
  ['scale', 'deployment cluster service replica'],
  ['trigger', 'build deployment workflow pipeline job webhook', ['repeats']],
  ['reopen', 'issue ticket request pr'],
  ['resolve', 'thread incident alert'],
  ['enqueue', 'job message task item', ['repeats']],
  ['post', 'tweet', ['repeats', 'network']],
  ['tweet retweet', 'message text update tweet', ['repeats', 'network']],
]

/** Verbs that need no object: `Unsubscribe from a newsletter`. */
const intransitiveVerbs: ReadonlySet<string> = new Set(['unsubscribe'])

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
  if (objects.length === 0) return intransitiveVerbs.has(verb) ? [] : undefined
  return actions.get(verb)?.find((action) => objects.some((object) => action.objects.has(object)))?.effects
}
