import type { Found } from './lint-hooks.ts';

/** Folders that a hook is told of; their paths may hold blanks. */
const folders = 'CLAUDE_PROJECT_DIR|CLAUDE_PLUGIN_ROOT|CLAUDE_PLUGIN_DATA';
const folder = new RegExp(String.raw`^\$(?:(?:${folders})(?!\w)|\{(?:${folders})\})`);

/** Variables of other tools or times that no hook is given. The facts of the call come on standard input. */
const notGiven =
  /\$\{?((?:CLAUDE_)?TOOL_(?:INPUT|OUTPUT|NAME|COMMAND|FILE_PATH|RESULT|ARGS)\w*|CLAUDE_FILE_PATHS?)\b/g;

/** A program with a path that begins nowhere, alone or behind the interpreter that runs it. */
const relativeScript =
  /^(?:(?:(?:ba|z|da)?sh|node|bun|deno run|python3?|ruby|tsx|uv run)\s+)?"?(?![/~$"'-])[\w.@-]+\//;

/** What is fragile in the command of a hook that a shell runs. */
export function commandFindings(
  hook: Readonly<Record<string, unknown>> | undefined,
  at: string,
): readonly Found[] {
  const command = hook?.['command'];
  if (!hook || typeof command !== 'string' || hook['args'] !== undefined) return [];
  if (hook['type'] !== undefined && hook['type'] !== 'command') return [];
  const pointer = `${at}/command`;
  const findings: Found[] = [];
  const places = hook['shell'] === 'powershell' ? [] : unquoted(command);
  if (places.length > 0)
    findings.push({
      code: 'hook-unquoted-variable',
      severity: 'warning',
      message: 'A folder stands in this command without quotes; a blank in its path breaks it.',
      pointer,
      fix: {
        message: 'Write "$CLAUDE_PROJECT_DIR"/…, with the quotes.',
        ...(isPlain(command) && { edit: { op: 'replace', value: quoted(command, places) } }),
      },
    });
  const missing = new Set([...command.matchAll(notGiven)].map(([, name = '']) => name));
  const given = [...missing].filter((name) => !new RegExp(`(?:^|[\\s;&|(])${name}=`).test(command));
  if (given.length > 0)
    findings.push({
      code: 'hook-unknown-variable',
      severity: 'warning',
      message: `No hook is given ${given.map((name) => `$${name}`).join(', ')}, so ${given.length === 1 ? 'it is' : 'they are'} empty.`,
      pointer,
      fix: { message: 'Read the JSON on standard input: jq -r .tool_input.file_path' },
    });
  if (relativeScript.test(command.trim()))
    findings.push({
      code: 'hook-relative-script',
      severity: 'info',
      message: 'The script is looked for in the working folder of the moment, which may change.',
      pointer,
      fix: { message: 'Begin with "$CLAUDE_PROJECT_DIR"/…' },
    });
  return findings;
}

/** True where quotes can be added without reading more of the shell's grammar. */
const isPlain = (command: string): boolean => !/\$\(|`|<<|\[\[|\\/.test(command);

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The folder variables outside quotes. A `$(` begins anew, whatever stands around it. */
function unquoted(command: string): readonly Span[] {
  const found: Span[] = [];
  const outer: boolean[] = [];
  let isDouble = false;
  for (let at = 0; at < command.length; at++) {
    const character = command[at];
    if (character === '\\') at++;
    else if (character === "'" && !isDouble) {
      const end = command.indexOf("'", at + 1);
      if (end === -1) return found;
      at = end;
    } else if (character === '"') isDouble = !isDouble;
    else if (character === '$' && command[at + 1] === '(') {
      outer.push(isDouble);
      isDouble = false;
      at++;
    } else if (character === ')' && outer.length > 0) isDouble = outer.pop() ?? false;
    else if (character === '$' && !isDouble) {
      const length = folder.exec(command.slice(at, at + 40))?.[0].length;
      if (length !== undefined) found.push({ from: at, to: at + length });
    }
  }
  return found;
}

const quoted = (command: string, places: readonly Span[]): string =>
  places.reduceRight(
    (text, { from, to }) => `${text.slice(0, from)}"${text.slice(from, to)}"${text.slice(to)}`,
    command,
  );
