import { readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import ignore, { type Ignore } from 'ignore';

/** The rules of one folder's `.gitignore`; undefined when it has none. */
interface FolderRules {
  readonly folder: string;
  readonly rules: Ignore;
}

/** What `.gitignore` files say of the folders and files of a walk. The nearest file that says something decides. */
export class IgnoreRules {
  readonly #above: readonly FolderRules[];

  private constructor(above: readonly FolderRules[]) {
    this.#above = above;
  }

  /** The rules that hold in a folder by the files of those above it, up to the top of its repository. */
  static async above(folder: string): Promise<IgnoreRules> {
    const found: FolderRules[] = [];
    for (let at = dirname(folder); dirname(at) !== at; at = dirname(at)) {
      const rules = await rulesIn(at, at);
      if (rules) found.unshift(rules);
    }
    return new IgnoreRules(found);
  }

  static none(): IgnoreRules {
    return new IgnoreRules([]);
  }

  /** With the rules of one folder more, read from where it is open. */
  async in(folder: string, openedAs: string): Promise<IgnoreRules> {
    const rules = await rulesIn(folder, openedAs);
    return rules ? new IgnoreRules([...this.#above, rules]) : this;
  }

  isIgnored(path: string, isFolder: boolean): boolean {
    for (const { folder, rules } of this.#above.toReversed()) {
      const below = relative(folder, path).split(sep).join('/');
      const { ignored, unignored } = rules.test(isFolder ? `${below}/` : below);
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

async function rulesIn(folder: string, openedAs: string): Promise<FolderRules | undefined> {
  const texts = await Promise.all(
    ['.gitignore', '.git/info/exclude'].map((name) =>
      readFile(join(openedAs, name), 'utf8').catch(() => ''),
    ),
  );
  const text = texts.filter(Boolean).join('\n');
  return text === '' ? undefined : { folder, rules: ignore().add(text) };
}
