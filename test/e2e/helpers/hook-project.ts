import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyFolder, toolgate, use, type Ended } from './toolgate.ts';

/** A script's text; the first line says what runs it. */
export const bash = (text: string) => `#!/usr/bin/env bash\n${text}\n`;
export const python = (text: string) => `#!/usr/bin/env python3\n${text}\n`;
export const node = (text: string) => `#!/usr/bin/env node\n${text}\n`;

/** What a hook's answer looks like, as JavaScript, Python and JSON can write it alike. */
export const envelope = (decision: string, more: object = {}) =>
  JSON.stringify({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: decision, ...more },
  });

export interface Project {
  readonly folder: string;
  /** The settings of the user, whose home the folder is. */
  settings(settings: object): Promise<void>;
  /** Writes an executable script and gives the command that runs it. */
  script(name: string, text: string): Promise<string>;
  read(name: string): Promise<string>;
  /** Runs one call and says how it ended. */
  run(options?: {
    readonly flags?: readonly string[];
    readonly tool?: string;
    readonly input?: object;
  }): Promise<Ran>;
}
export interface Ran extends Ended {
  /** The text of the one result. */
  readonly result: string;
  readonly isError: boolean;
  /** What goes after the result. */
  readonly after: readonly string[];
}

/** A folder that is project and home in one. */
export async function hookProject(name?: string): Promise<Project> {
  const home = await emptyFolder();
  const folder = name === undefined ? home : join(home, name);
  await mkdir(join(folder, '.claude'), { recursive: true });
  return {
    folder,
    settings: (settings) =>
      writeFile(join(folder, '.claude', 'settings.json'), JSON.stringify(settings)),
    async script(file, text) {
      const path = join(folder, file);
      await writeFile(path, text);
      await chmod(path, 0o755);
      return `'${path}'`;
    },
    read: (file) => readFile(join(folder, file), 'utf8').catch(() => ''),
    async run({ flags = [], tool = 'Bash', input = { command: 'echo hi' } } = {}) {
      const end = await toolgate(['run', '--trust', ...flags], {
        cwd: folder,
        input: use(tool, input),
      });
      const [block, ...after] = end.lines[0]?.content ?? [];
      const { content } = block ?? {};
      return {
        ...end,
        result: typeof content === 'string' ? content : JSON.stringify(content ?? ''),
        isError: block?.is_error === true,
        after: after.map(({ text }: { readonly text: string }) => text),
      };
    },
  };
}
