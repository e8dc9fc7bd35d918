import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

/** Neither state nor effects: everything is read from the source while rendering. */
const fromReact = ['createContext', 'ReactNode', 'use', 'useCallback', 'useMemo', 'useSyncExternalStore']

const files = readdirSync('packages/react/src').filter((file) => !file.includes('.test'))

test.each(files)('%s keeps no state in React, and runs in browsers', (file) => {
  const text = readFileSync(`packages/react/src/${file}`, 'utf8')
  const imports = [...text.matchAll(/^(import|export) (type )?\{([^}]*)\} from '([^']+)'/gm)]
  expect(imports).toHaveLength([...text.matchAll(/ from '/g)].length)
  for (const [, , allTypes, names = '', target = ''] of imports) {
    if (target.startsWith('./')) continue
    if (target === 'react') {
      const imported = names.split(',').map((name) => name.trim().replace('type ', ''))
      expect(imported.filter((name) => !fromReact.includes(name))).toEqual([])
    } else if (target === '@curfew/agent') expect(allTypes).toBe('type ')
    else expect(target).toBe('@curfew/core/rows')
  }
})
