/** The folder of the unpacked browser that test files share, inside the temporary folder of the test run. */
export const browserFolder = 'curfew-browser'
