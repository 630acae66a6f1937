// Checks that relative links and anchors in the Markdown files resolve, that every package has a
// README, and that TypeDoc is told to require documentation of every package.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { root } from './readme.mjs';

const problems = [];
const skipped = new Set(['node_modules', 'dist', 'api', 'fixtures', 'artifacts', 'coverage']);

function markdownBelow(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? markdownBelow(path) : entry.name.endsWith('.md') ? [path] : [];
  });
}

/** Without code: a link in an example is no link. */
const prose = (file) =>
  readFileSync(file, 'utf8')
    .replace(/^ {0,3}(```+|~~~+)[\s\S]*?^ {0,3}\1\s*$/gm, '')
    .replace(/`[^`\n]*`/g, (code) => code.replace(/[[\]()]/g, ''));

/** The anchors that GitHub makes of the headings. */
function anchors(file) {
  const slugs = new Set();
  for (const [, heading] of prose(file).matchAll(/^#{1,6} +(.*?)\s*#*$/gm)) {
    const text = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const slug = text.replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '').replaceAll(' ', '-');
    let unique = slug;
    for (let n = 1; slugs.has(unique); n++) unique = `${slug}-${n}`;
    slugs.add(unique);
  }
  for (const [, id] of prose(file).matchAll(/<a (?:id|name)="([^"]+)"/g)) slugs.add(id);
  return slugs;
}

const files = markdownBelow(root);
for (const file of files) {
  const inline = prose(file).matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g);
  const defined = prose(file).matchAll(/^ {0,3}\[[^\]]+\]:\s*<?([^\s>]+)>?/gm);
  for (const [, link] of [...inline, ...defined]) {
    if (/^([a-z][a-z+.-]*:|\/\/)/i.test(link)) continue;
    const [path, anchor] = link.split('#', 2);
    const target = path ? resolve(dirname(file), decodeURIComponent(path)) : file;
    const where = `${relative(root, file)}: ${link}`;
    if (path.startsWith('/')) problems.push(`${where}: not a relative link`);
    else if (!target.startsWith(root)) problems.push(`${where}: leaves the repository`);
    else if (!existsSync(target)) problems.push(`${where}: no such file`);
    else if (anchor && statSync(target).isFile() && !anchors(target).has(anchor))
      problems.push(`${where}: no such heading`);
  }
}

const typedoc = JSON.parse(readFileSync(join(root, 'tools', 'docs', 'typedoc.json'), 'utf8'));
for (const name of readdirSync(join(root, 'packages'))) {
  const manifest = join(root, 'packages', name, 'package.json');
  if (!existsSync(manifest)) continue;
  if (!existsSync(join(root, 'packages', name, 'README.md')))
    problems.push(`packages/${name}: no README.md`);
  const published = JSON.parse(readFileSync(manifest, 'utf8')).name;
  if (!typedoc.packagesRequiringDocumentation.includes(published))
    problems.push(`tools/docs/typedoc.json: packagesRequiringDocumentation lacks ${published}`);
}

for (const problem of problems) console.error(problem);
console.log(`${files.length} Markdown files, ${problems.length} problems`);
process.exit(problems.length > 0 ? 1 : 0);
