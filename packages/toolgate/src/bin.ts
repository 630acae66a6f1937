#!/usr/bin/env node
// Placeholder: the command line starts here.
process.stderr.write('toolgate: no verbs yet\n');
process.exitCode = 2;
