import type { Spec } from '../spec.ts';

/** What programs answer to a question for their version without doing anything else. */
const version: Spec = { operands: 'words', most: 0, options: '--version -v' };

/** Commands about the system, and words that do nothing. */
export const systemCommands: Readonly<Record<string, Spec>> = {
  pwd: { operands: 'words', safe: true, options: '-L -P' },
  true: { operands: 'words', safe: true, options: '' },
  false: { operands: 'words', safe: true, options: '' },
  whoami: { operands: 'words', most: 0, options: '--help --version' },
  id: {
    operands: 'words',
    safe: true,
    options:
      '-a -g -G -n -r -u -z -Z --group --groups --name --real --user --zero --help --version',
  },
  groups: { operands: 'words', safe: true, options: '--help --version' },
  uname: {
    operands: 'words',
    most: 0,
    options:
      '-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system --help --version',
  },
  arch: { operands: 'words', most: 0, options: '--help --version' },
  nproc: { operands: 'words', most: 0, options: '--all --ignore: --help --version' },
  uptime: { operands: 'words', most: 0, options: '-p -s -h -V --pretty --since --help --version' },
  hostname: {
    operands: 'words',
    most: 0,
    options:
      '-a -A -d -f -i -I -s -y --alias --all-fqdns --domain --fqdn --long --ip-address --all-ip-addresses --short --help --version',
  },
  free: {
    operands: 'words',
    most: 0,
    options:
      '-b -k -m -g -h -l -t -w --bytes --kibi --mebi --gibi --human --lohi --total --wide --si',
  },
  lsblk: {
    operands: 'words',
    options:
      '-a -b -d -D -e: -f -i -I: -J -l -m -n -o: -O -p -P -r -s -S -t -z --all --bytes --nodeps --fs --json --list --noheadings --output: --paths --pairs --raw --topology',
  },
  lscpu: {
    operands: 'words',
    most: 0,
    options: '-a -b -c -e? -J -p? -y --all --json --parse? --extended?',
  },
  tty: { operands: 'words', most: 0, options: '-s --silent --quiet' },
  who: { operands: 'words', most: 0, options: '-a -b -d -H -l -m -p -q -r -s -t -T -u' },
  which: { operands: 'words', safe: true, options: '-a -s --all' },
  type: { operands: 'words', safe: true, options: '-a -f -p -P -t' },
  seq: {
    operands: 'words',
    options: '-f: -s: -w --format: --separator: --equal-width --help --version',
  },
  sleep: { operands: 'words', options: '--help --version' },
  expr: { operands: 'words', safe: true, options: '' },
  cal: { operands: 'words', options: '-1 -3 -m -s -j -y' },
  node: version,
  python: { ...version, options: '--version -V' },
  python3: { ...version, options: '--version -V' },
};
