/** What an action does beside changing something. */
export type ActionEffect = 'deletes' | 'overwrites' | 'repeats' | 'network'

/** Verbs with the things that they do something to in the world. Said of anything else they may do nothing: `book details`. */
const table: readonly (readonly [verbs: string, things: string, effects?: readonly ActionEffect[]])[] = [
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

/** Verbs that are said of nothing as well: `Unsubscribe from a newsletter`. */
const alone: ReadonlySet<string> = new Set(['unsubscribe'])

interface Action {
  readonly things: ReadonlySet<string>
  readonly effects: readonly ActionEffect[]
}

const actions = new Map<string, Action[]>()
for (const [verbs, things, effects = []] of table) add(verbs, { things: new Set(things.split(' ')), effects })

function add(verbs: string, action: Action): void {
  for (const verb of verbs.split(' ')) actions.set(verb, [...(actions.get(verb) ?? []), action])
}

export const actionVerbs: ReadonlySet<string> = new Set(actions.keys())

/** What doing this to these things does, beside changing them; undefined if it may change nothing. */
export function actionOn(verb: string, things: readonly string[]): readonly ActionEffect[] | undefined {
  if (things.length === 0) return alone.has(verb) ? [] : undefined
  return actions.get(verb)?.find((action) => things.some((thing) => action.things.has(thing)))?.effects
}
