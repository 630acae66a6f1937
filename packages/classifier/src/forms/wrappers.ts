import type { OptionRules } from '../read-only/options.ts';

/** A command that runs the command behind it. */
export interface Wrapper extends OptionRules {
  /** Operands of its own before the command. */
  readonly operands?: number;
  /** It may set variables before the command, as `env A=1 cmd`. */
  readonly assignments?: boolean;
  /** Rules of every kind look past it; the others only deny and ask rules. */
  readonly transparent?: boolean;
  /** An option whose value is a script for a shell. */
  readonly script?: readonly string[];
  /** Its remaining words are one script for a shell. */
  readonly joined?: boolean;
}

/** Wrappers that rules of every kind look past, and those that only deny and ask rules look past. */
export const wrappers: Readonly<Record<string, Wrapper>> = {
  timeout: {
    transparent: true,
    operands: 1,
    leading: true,
    options: '-k: -s: -v --kill-after: --signal: --preserve-status --foreground --verbose',
  },
  time: {
    transparent: true,
    leading: true,
    options: '-p -v -a -o: -f: -q --portability --verbose --append --output: --format:',
  },
  nice: { transparent: true, leading: true, number: true, options: '-n: --adjustment:' },
  nohup: { transparent: true, leading: true, options: '' },
  stdbuf: { transparent: true, leading: true, options: '-i: -o: -e: --input: --output: --error:' },
  command: { transparent: true, leading: true, options: '-p' },
  builtin: { transparent: true, leading: true, options: '' },
  noglob: { transparent: true, leading: true, options: '' },
  xargs: {
    leading: true,
    options: `-0 -r -t -x -p -o -n: -L: -l? -I: -i? -P: -d: -s: -E: -e? -a: --null --no-run-if-empty --verbose --interactive
      --open-tty --max-args: --max-lines? --max-procs: --max-chars: --delimiter: --replace? --eof? --arg-file: --exit
      --process-slot-var: --show-limits`,
  },
  env: {
    leading: true,
    assignments: true,
    script: ['-S', '--split-string'],
    options:
      '-i -0 -v -u: -C: -S: --ignore-environment --null --unset: --chdir: --split-string: --debug --block-signal? --default-signal? --ignore-signal?',
  },
  exec: { leading: true, options: '-c -l -a:' },
  sudo: {
    leading: true,
    assignments: true,
    options: `-A -b -B -E -e -H -i -k -K -l -n -N -P -S -s -v -V -u: -g: -p: -C: -c: -D: -h: -r: -R: -t: -T: -U: -a:
      --askpass --background --bell --preserve-env? --edit --set-home --login --non-interactive --stdin --shell --user:
      --group: --prompt: --close-from: --chdir: --host: --role: --chroot: --type: --command-timeout: --other-user:
      --reset-timestamp --preserve-groups`,
  },
  doas: { leading: true, options: '-L -n -s -a: -C: -u:' },
  pkexec: { leading: true, options: '--disable-internal-agent --keep-cwd --user:' },
  runuser: {
    leading: true,
    options:
      '-u: -g: -G: -l -m -p -f -c: -s: -P -w: --user: --group: --supp-group: --login --preserve-environment --fast --command: --shell: --pty --whitelist-environment:',
  },
  setpriv: {
    leading: true,
    options:
      '--ambient-caps: --clear-groups --dump -d --groups: --inh-caps: --init-groups --keep-groups --list-caps --no-new-privs --nnp --pdeathsig: --ptracer: --regid: --rgid: --egid: --reuid: --ruid: --euid: --reset-env --securebits: --bounding-set: --selinux-label: --apparmor-profile:',
  },
  nsenter: {
    leading: true,
    options:
      '-t: -a -m? -u? -i? -n? -p? -C? -U? -T? -S: -G: -r? -w? -W: -F -Z -c -e --target: --all --mount? --uts? --ipc? --net? --pid? --cgroup? --user? --time? --setuid: --setgid: --root? --wd? --wdns: --no-fork --preserve-credentials --env --follow-context --join-cgroup',
  },
  fakeroot: {
    leading: true,
    options:
      '-l: -s: -i: -u -b: --lib: --faked: --save-file: --load-file: --unknown-is-real --fd-base:',
  },
  gosu: { leading: true, operands: 1, options: '' },
  'su-exec': { leading: true, operands: 1, options: '' },
  ionice: { leading: true, options: '-c: -n: -t -p: -P: -u: --class: --classdata: --ignore' },
  setsid: { leading: true, options: '-c -f -w --ctty --fork --wait' },
  setarch: { leading: true, options: '-R -L -B -v --addr-no-randomize' },
  chrt: { leading: true, operands: 1, options: '-a -b -f -i -o -r -R -v -d -T: -P: -D:' },
  taskset: { leading: true, operands: 1, options: '-a -c --all-tasks --cpu-list' },
  numactl: {
    leading: true,
    options:
      '-a -l -i: -m: -N: -C: -p: --all --localalloc --interleave: --membind: --cpunodebind: --physcpubind: --preferred:',
  },
  prlimit: {
    leading: true,
    options: '-n? -u? -v? --nofile? --nproc? --as? --core? --cpu? --data? --fsize?',
  },
  watch: {
    leading: true,
    joined: true,
    options:
      '-n: -d? -t -b -e -g -c -C -p -q: -r -w -x --interval: --differences? --no-title --beep --errexit --chgexit --color --no-color --precise --exec --equexit: --no-rerun --no-wrap',
  },
  flock: {
    leading: true,
    operands: 1,
    script: ['-c', '--command'],
    options:
      '-s -x -e -u -n -o -F -v -w: -E: -c: --shared --exclusive --unlock --nonblock --nb --close --no-fork --verbose --wait: --timeout: --conflict-exit-code: --command:',
  },
  busybox: { leading: true, options: '' },
  toybox: { leading: true, options: '' },
  chroot: { leading: true, operands: 1, options: '--groups: --userspec: --skip-chdir' },
  unshare: {
    leading: true,
    options:
      '-m? -u? -i? -n? -p? -U? -C? -T? -f -r -c --mount? --uts? --ipc? --net? --pid? --user? --cgroup? --fork --map-root-user --map-current-user --mount-proc? --kill-child?',
  },
  strace: {
    leading: true,
    options:
      '-f -ff -c -C -q -r -t -T -v -x -y -k -i -e: -o: -p: -s: -u: -a: -b: -E: -I: -O: -P: -S: -X:',
  },
  ltrace: { leading: true, options: '-f -c -C -i -r -S -t -T -e: -o: -p: -s: -u: -a: -l: -n: -x:' },
  parallel: {
    leading: true,
    joined: true,
    options:
      '-j: -k -n: -N: -X -m -I: -a: --jobs: --keep-order --bar --eta --dry-run --halt: --joblog: --tag --max-args: --will-cite --no-notice --citation',
  },
  'systemd-run': {
    leading: true,
    options:
      '-t -P -q -G -d -r -E: -p: -u: --user --scope --pty --pipe --quiet --wait --collect --unit: --property: --setenv: --working-directory: --same-dir --shell --uid: --gid: --slice:',
  },
  'dbus-run-session': { leading: true, options: '--config-file: --dbus-daemon:' },
  'xvfb-run': {
    leading: true,
    options: '-a -l -e: -f: -n: -p: -s: -w: --auto-servernum --server-num: --server-args:',
  },
  unbuffer: { leading: true, options: '-p' },
  nocorrect: { leading: true, options: '' },
  entr: { leading: true, options: '-a -c -d -n -p -r -s -x -z' },
  'ssh-agent': { leading: true, options: '-a: -c -d -D -E: -k -O: -P: -s -t:' },
  direnv: { leading: true, operands: 2, options: '' },
  'nix-shell': {
    leading: true,
    script: ['--run', '--command'],
    options: '--run: --command: --pure -A: --attr: -E: --expr: -p: --packages: -I: --keep:',
  },
  caffeinate: { leading: true, options: '-d -i -m -s -u -t: -w:' },
  firejail: { leading: true, options: '' },
  proxychains: { leading: true, options: '-q -f:' },
  proxychains4: { leading: true, options: '-q -f:' },
  torsocks: { leading: true, options: '-i -q -d' },
  tini: { leading: true, options: '-s -v -g -w -p: -e:' },
  'dumb-init': { leading: true, options: '-c -v -r:' },
  coproc: { leading: true, options: '' },
};

/** Shells that take a script as an option or on standard input. */
export const shells: ReadonlySet<string> = new Set(
  'sh bash dash zsh ksh ksh93 mksh ash rbash fish csh tcsh'.split(' '),
);
