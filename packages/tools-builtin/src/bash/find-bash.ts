import { accessSync, constants } from 'node:fs';

const places = [
  '/bin/bash',
  '/usr/bin/bash',
  '/usr/local/bin/bash',
  '/opt/homebrew/bin/bash',
  '/run/current-system/sw/bin/bash',
];

/** Where bash is; never looked for on the PATH, whose first entry may belong to the project. */
export function findBash(): string | undefined {
  return places.find((place) => {
    try {
      accessSync(place, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
