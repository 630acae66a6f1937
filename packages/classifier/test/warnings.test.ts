import { expect, test } from 'vitest';
import { classifyBash, getDestructiveCommandWarning } from '../src/index.ts';
import { effectsOf, projectFacts } from './helpers.ts';

const isCritical = (command: string, facts = projectFacts()) =>
  (effectsOf(command, facts).warnings ?? []).some(
    ({ code, asks }) => code === 'critical-removal' && asks === 'person',
  );

test.each([
  'rm -rf /',
  'rm -rf /usr',
  'rm -rf //',
  'rm -rf /usr/',
  'rm -rf /usr/local/..',
  'rm -rf /*',
  'rm -rf ~',
  'rm -rf ~/',
  'rm -rf ~/*',
  'rm -rf "$HOME"',
  'rm -r .',
  'rm -rf ..',
  'rm -rf ../..',
  'rm -rf *',
  'rm -rf ./*',
  'rm -rf $PWD',
  'rmdir /home',
  'rm -rf "$DIR"/*',
  'rm -rf $DIR/',
  'rm -rf "${DIR}"/',
  'rm -rf "/$x"',
  'rm -rf -- /',
  "r''m -rf /",
  '/bin/rm -rf /',
  'sudo rm -rf /',
  'env A=1 rm -rf /',
  'timeout 5 rm -rf ~',
  'echo "$(rm -rf ~)"',
  'cat <(rm -rf ~)',
  'bash -c "rm -rf /"',
  "bash -c 'rm -rf $X/'",
  'eval "rm -rf ~"',
  'cd / && rm -rf *',
  'cd ..; rm -rf app',
  'rm -rf {x,/}',
  'a=/; rm -rf $a',
  'for d in x /; do rm -rf "$d"; done',
  'find . -exec rm -rf / ;',
  'f() { rm -rf /; }',
  'if x; then rm -rf /; fi',
  'rm -rf C:/',
  'bash <<E\nrm -rf /\nE',
  'xargs rm -rf /',
])('%j is a critical removal', (command) => expect(isCritical(command)).toBe(true));

test.each([
  'rm -rf node_modules',
  'rm a/b',
  'rm -rf ./dist',
  'rm -rf dist/*',
  'rm *.log',
  'rm -rf "$DIR/dist"',
  'rm -rf /tmp/x',
  'rm -rf ~/x/y',
  'echo rm -rf /',
  "echo 'rm -rf /'",
  'ls /',
  'command -v rm',
  'git rm -r .',
  'rmdir empty',
])('%j is no critical removal', (command) => expect(isCritical(command)).toBe(false));

test('a link to a critical folder is critical behind a slash', () => {
  const facts = projectFacts({ links: { '/home/dev/app/link': '/usr' } });
  expect(isCritical('rm -rf link/', facts)).toBe(true);
  expect(isCritical('rm -rf link', facts)).toBe(false);
});

test.each([
  'git push -f',
  'git push origin +main',
  'git push origin :x',
  'git push --mirror',
  'git push --force-with-lease',
  'git -C x reset --hard',
  'git checkout -- a',
  'git checkout .',
  'git checkout -f',
  'git switch --discard-changes x',
  'git stash drop',
  'git branch -D x',
  'git reflog expire --all',
  'git worktree remove --force x',
  'git clean -xdf',
  'git update-ref -d x',
  'dd if=x of=/dev/sda',
  'truncate -s 0 x',
  'chmod -R 777 /',
  'chown -R me ~',
  'psql -c "drop table x"',
  'mysql -e "DELETE FROM x"',
  'kubectl -n a delete pod x',
  'docker volume rm x',
  'docker compose down -v',
  'aws s3 rm s3://x',
  'rsync -a --delete a b',
  'terraform -chdir=x destroy',
  ': > x',
  '> x',
  'cat /dev/null >| x',
  'echo x > /dev/sda',
  'shred x',
  'mkfs -t ext4 /dev/sdb',
  'find . -delete',
  'xargs rm',
  'helm uninstall x',
  'git checkout HEAD~1 a.txt',
  'git checkout src/index.ts',
  'mv x /dev/null',
  'cp /dev/null x',
  'mysql <<E\nDROP TABLE x;\nE',
  'echo "drop table x" | psql',
  'aws --profile p s3 rm s3://x',
  'docker --context x volume rm y',
])('%j is destructive, with a reason', (command) => {
  expect(classifyBash(command)).toMatchObject({ destructive: true, readOnly: false });
  expect(getDestructiveCommandWarning(command)).toMatch(/\.$/);
});

test.each([
  'git push',
  'git reset --soft HEAD~1',
  'git checkout main',
  'git switch main',
  'git checkout -b x origin/main',
  'git checkout release/1.2',
  'git stash',
  'git restore --staged a',
  'git clean -n',
  'git worktree remove x',
  'chmod -R u+w src',
  'psql -c "delete from x where id = 1"',
  'docker ps',
  'ls > x',
  'echo a > x',
  'dd if=a of=b',
  'git log --grep=--force',
  'git commit -m "rm -rf /"',
  'rsync -a a b',
])('%j is not destructive', (command) => {
  expect(classifyBash(command).destructive).toBe(false);
  expect(getDestructiveCommandWarning(command)).toBeUndefined();
});
