import type { Argument } from '../bash/expand.ts';
import { withoutGitOptions } from '../forms/invocations.ts';
import { literal } from '../read-only/verdict.ts';
import { gitDestruction } from './destructive-git.ts';

type Rule = (
  texts: readonly string[],
  words: readonly Argument[],
  input?: string,
) => string | undefined;

const always =
  (reason: string): Rule =>
  () =>
    reason;
/** The command followed by certain words, in this order, options between them ignored. */
const phrase =
  (reason: string, ...phrases: readonly RegExp[]): Rule =>
  (texts) =>
    phrases.some((one) => one.test(texts.filter((text) => !text.startsWith('-')).join(' ')))
      ? reason
      : undefined;

const sql: Rule = (texts, _, input) =>
  [...texts, input ?? ''].some((text) =>
    text
      .split(';')
      .some((one) =>
        /\b(?:drop\s+(?:table|database|schema|index|view|column|user|role|keyspace|collection)|truncate\s+(?:table\s+)?\w)|\bdelete\s+from\b(?![\s\S]*\bwhere\b)|\b(?:dropDatabase|deleteMany\(\{\}\)|flushall|flushdb)\b|\.drop\(/i.test(
          one,
        ),
      ),
  )
    ? 'The statement drops or empties data.'
    : undefined;

const device =
  /^(?:of=)?\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|md|dm-|mapper\/|loop|sr|mem$|kmem$)/;
const broad = /^(?:\/|~\/?|\/home\/[^/]+\/?|\.\.?\/?|\*|\/\*|\.\/\*|\.\.\/.*|\/(?:[^/]+)\/?|\$.*)$/;
const recursive = (texts: readonly string[]) =>
  texts.some((text) => /^-[a-zA-Z]*R|^--recursive$/.test(text));
const broadly =
  (reason: string): Rule =>
  (texts) =>
    recursive(texts) && texts.some((text) => broad.test(text)) ? reason : undefined;

const rules: Readonly<Record<string, Rule>> = {
  rm: always('rm deletes files; they cannot be restored.'),
  unlink: always('unlink deletes a file.'),
  shred: always('shred overwrites files.'),
  truncate: always('truncate cuts off the content of files.'),
  mkfs: always('mkfs erases a device.'),
  wipefs: (texts) =>
    texts.some((text) => /^-[a-z]*a|^--all$|^--offset|^-o/.test(text)) || texts.length > 0
      ? 'wipefs erases the signatures of a device.'
      : undefined,
  blkdiscard: always('blkdiscard erases a device.'),
  sgdisk: always('sgdisk changes a partition table.'),
  fdisk: (texts) => (texts.includes('-l') ? undefined : 'fdisk changes a partition table.'),
  parted: (texts) => (texts.includes('-l') ? undefined : 'parted changes a partition table.'),
  srm: always('srm erases files.'),
  dd: (texts) => (texts.some((text) => device.test(text)) ? 'dd overwrites a device.' : undefined),
  tee: (texts) =>
    texts.some((text) => device.test(text)) ? 'tee overwrites a device.' : undefined,
  cp: (texts) => {
    if (texts.some((text) => device.test(text))) return 'cp overwrites a device.';
    return texts.find((text) => !text.startsWith('-')) === '/dev/null'
      ? 'cp empties a file.'
      : undefined;
  },
  mv: (texts) => (texts.at(-1) === '/dev/null' ? 'mv to /dev/null deletes files.' : undefined),
  tar: (texts) => (texts.includes('--remove-files') ? 'tar deletes what it packs.' : undefined),
  chmod: broadly('chmod -R changes the rights of a whole tree.'),
  chown: broadly('chown -R changes the owner of a whole tree.'),
  chgrp: broadly('chgrp -R changes the group of a whole tree.'),
  find: (texts) => (texts.includes('-delete') ? 'find -delete deletes what it finds.' : undefined),
  git: (_, words) => gitDestruction(withoutGitOptions(words)),
  psql: sql,
  mysql: sql,
  mariadb: sql,
  sqlite3: sql,
  sqlcmd: sql,
  cqlsh: sql,
  mongo: sql,
  mongosh: sql,
  'redis-cli': sql,
  clickhouse: sql,
  'clickhouse-client': sql,
  duckdb: sql,
  dropdb: always('dropdb deletes a database.'),
  dropuser: always('dropuser deletes a database user.'),
  kubectl: (texts) =>
    phrase('kubectl delete removes resources.', /^(?:\S+ )*?(?:delete|drain)\b/)(texts, []) ??
    (texts.includes('--force') && texts.includes('replace')
      ? 'kubectl replace --force deletes resources first.'
      : undefined),
  oc: phrase('oc delete removes resources.', /^delete\b/),
  helm: phrase('helm removes a release.', /^(?:\S+ )*?(?:uninstall|delete|del)\b/),
  terraform: (texts) =>
    texts.includes('destroy') || texts.includes('-destroy')
      ? 'terraform destroys infrastructure.'
      : phrase('terraform forgets or taints state.', /^(?:\S+ )*?state rm\b/)(texts, []),
  tofu: (texts) =>
    texts.includes('destroy') || texts.includes('-destroy')
      ? 'tofu destroys infrastructure.'
      : undefined,
  terragrunt: (texts) =>
    texts.includes('destroy') ? 'terragrunt destroys infrastructure.' : undefined,
  pulumi: phrase('pulumi destroys infrastructure.', /^(?:destroy|down|stack rm)\b/),
  docker: dockerRule,
  podman: dockerRule,
  'docker-compose': (texts) =>
    texts.includes('down') && texts.some((text) => /^(?:-v|--volumes|--rmi.*)$/.test(text))
      ? 'It deletes volumes or images.'
      : texts.includes('rm')
        ? 'It deletes containers.'
        : undefined,
  aws: phrase(
    'It deletes data or resources.',
    /(?:^| )s3 (?:rm|rb)\b/,
    /(?:^| )\S+ (?:delete|terminate|remove|purge|deregister)-/,
  ),
  gsutil: phrase('It deletes objects.', /^(?:rm|rb)\b/),
  gcloud: phrase('It deletes resources.', /\bdelete\b/, /^storage rm\b/),
  az: phrase('It deletes resources.', /\b(?:delete|purge)\b/),
  rclone: phrase('It deletes files.', /^(?:delete|purge|deletefile|sync|rmdirs?|cleanup|move)\b/),
  rsync: (texts) =>
    texts.some((text) => /^--(?:del|delete(?:-\w+)*|remove-source-files)$/.test(text))
      ? 'rsync --delete removes files.'
      : undefined,
  gh: phrase(
    'It deletes something on the server.',
    /^(?:repo|release|issue|secret|variable|gist|run|cache|label|codespace|ssh-key|gpg-key|extension) (?:delete|remove)\b/,
  ),
  npm: phrase('It takes a published version away.', /^unpublish\b/),
  crontab: (texts) => (texts.includes('-r') ? 'crontab -r deletes all jobs.' : undefined),
  userdel: always('userdel removes a user.'),
  groupdel: always('groupdel removes a group.'),
  lvremove: always('lvremove deletes a volume.'),
  vgremove: always('vgremove deletes a volume group.'),
  pvremove: always('pvremove erases a physical volume.'),
  zfs: phrase('zfs destroys data.', /^(?:destroy|rollback)\b/),
  zpool: phrase('zpool destroys data.', /^(?:destroy|labelclear)\b/),
  btrfs: phrase('btrfs deletes a subvolume.', /^subvolume delete\b/),
  cryptsetup: phrase('cryptsetup erases a device.', /^(?:luksFormat|erase|luksErase|reencrypt)\b/),
  redis: sql,
  vagrant: phrase('vagrant destroys a machine.', /^destroy\b/),
  svn: phrase('svn throws changes away.', /^(?:revert|delete|rm|cleanup)\b/),
  hg: phrase('hg throws changes away.', /^(?:revert|strip|purge|update -C|clean)\b/),
};

function dockerRule(texts: readonly string[]): string | undefined {
  return (
    phrase(
      'It deletes containers, images or volumes.',
      /(?:^| )(?:system|container|image|volume|network|builder|buildx) prune\b/,
      /(?:^| )(?:volume|image|container|network|compose) (?:rm|remove)\b/,
      /^(?:rm|rmi)\b/,
    )(texts, []) ??
    (texts.includes('compose') &&
    texts.includes('down') &&
    texts.some((text) => /^(?:-v|--volumes)$/.test(text))
      ? 'It deletes volumes.'
      : undefined)
  );
}

/** Why a command destroys what cannot be restored, or `undefined`. Reads one command, not what it wraps. */
export function destruction(words: readonly Argument[], input?: string): string | undefined {
  const name = literal(words[0]);
  if (name === undefined) return undefined;
  if (name.startsWith('mkfs.') || name === 'mke2fs' || name === 'mkswap')
    return `${name} erases a device.`;
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  const rest = words.slice(1);
  if (rest.some((word) => literal(word) === '--help')) return undefined;
  return rule?.(
    rest.map((word) => literal(word) ?? word.source.replaceAll(/^["']|["']$/g, '')),
    rest,
    input,
  );
}
