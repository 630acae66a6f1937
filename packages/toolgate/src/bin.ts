#!/usr/bin/env node
import * as nodeModule from 'node:module';

// Checks the Node before anything is loaded that an old one cannot read.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
const isNewEnough = (major === 22 && minor >= 19) || (major === 24 && minor >= 11) || major >= 26;
if (isNewEnough) {
  const cache = process.env['TOOLGATE_COMPILE_CACHE'];
  delete process.env['TOOLGATE_COMPILE_CACHE'];
  if (cache) nodeModule.enableCompileCache(cache);
  void import('./cli/main.ts').then(({ main }) => main(process.argv.slice(2)));
} else {
  process.stderr.write(
    `toolgate: needs Node 22.19+, 24.11+ or 26+, and this is ${process.versions.node}\n`,
  );
  process.exitCode = 2;
}
