#!/usr/bin/env node
// npm links commands before the build creates dist.
import '../dist/main.js'
