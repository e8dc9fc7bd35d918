/** Where test files share the unpacked browser, inside the temporary folder of the test run. */
export const browserFolder = 'curfew-browser'
