import { specOf, takesRule, type HookEvent } from '../hook-events.ts';
import { currentName, matcherProblem, matchesTool, namesIn } from '../matcher.ts';
import type { Found } from './lint-hooks.ts';

interface MatcherPlace {
  readonly event: HookEvent;
  readonly pointer: string;
  readonly tools: readonly string[];
}

/** Tools that are no longer tools of their own, and what does their work. */
const gone: Readonly<Record<string, string>> = {
  MultiEdit: 'Edit',
  LS: 'Bash',
  NotebookRead: 'Read',
  TodoRead: 'TodoWrite',
};

/** What a matcher says that it may not mean. One that is no matcher at all is reported elsewhere. */
export function matcherFindings(
  matcher: unknown,
  { event, pointer, tools }: MatcherPlace,
): readonly Found[] {
  if (typeof matcher !== 'string' || matcher === '' || matcher === '*') return [];
  if (specOf(event).field === undefined)
    return [
      {
        code: 'matcher-ignored',
        severity: 'info',
        message: `${event} takes no matcher, so its hooks run each time.`,
        pointer,
        fix: { message: 'Remove the matcher.', edit: { op: 'remove' } },
      },
    ];
  if (!takesRule(event) || matcherProblem(matcher)) return [];
  return toolFindings(matcher, pointer, tools);
}

function toolFindings(
  matcher: string,
  pointer: string,
  tools: readonly string[],
): readonly Found[] {
  const names = namesIn(matcher);
  if (!names) return expressionFindings(matcher, pointer, tools);
  const findings: Found[] = [];
  const old = names.filter((name) => currentName(name) !== name);
  if (old.length > 0)
    findings.push({
      code: 'matcher-retired-tool',
      severity: 'info',
      message: `The matcher uses ${old.join(', ')}, ${old.length === 1 ? 'an old name' : 'old names'} that still ${old.length === 1 ? 'works' : 'work'}.`,
      pointer,
      fix: {
        message: `Write ${old.map(currentName).join(', ')}.`,
        edit: {
          op: 'replace',
          value: matcher.replaceAll(/[^\s|,][^|,]*[^\s|,]|[^\s|,]/g, (name) => currentName(name)),
        },
      },
    });
  const past = names.filter((name) => Object.hasOwn(gone, name));
  if (past.length > 0)
    findings.push({
      code: 'matcher-retired-tool',
      severity: 'info',
      message: `${past.join(', ')} ${past.length === 1 ? 'is no longer a tool' : 'are no longer tools'} of ${past.length === 1 ? 'its' : 'their'} own.`,
      pointer,
      fix: {
        message: `Leave ${past.length === 1 ? 'it' : 'them'} out; ${past.map((name) => `${gone[name] ?? ''} does the work of ${name}`).join(', ')}.`,
      },
    });
  const unknown = names.filter(
    (name) =>
      !tools.includes(currentName(name)) && !Object.hasOwn(gone, name) && !/^mcp__.+__./.test(name),
  );
  if (unknown.length > 0)
    findings.push({
      code: 'matcher-unknown-tool',
      severity: 'warning',
      message: `No known tool is called ${unknown.map((name) => JSON.stringify(name)).join(', ')}; names are compared whole.`,
      pointer,
      fix: {
        message: unknown.some((name) => name.startsWith('mcp__'))
          ? 'Write mcp__server__.* for all tools of a server.'
          : 'Write the names of tools, such as "Bash|Edit"; for a command use "if": "Bash(git push *)".',
      },
    });
  return findings;
}

function expressionFindings(
  matcher: string,
  pointer: string,
  tools: readonly string[],
): readonly Found[] {
  const means = (name: string) =>
    matchesTool(matcher, { name, aliases: [], deprecatedAliases: [] });
  if (matcher.includes('mcp') || [...tools, ...Object.keys(gone)].some(means)) return [];
  if (means('mcp__server__tool')) return [];
  return [
    {
      code: 'matcher-unknown-tool',
      severity: 'warning',
      message: `No known tool matches the expression ${JSON.stringify(matcher)}; a matcher is tested against names of tools.`,
      pointer,
      fix: {
        message: 'Write the names of tools, such as "Bash|Edit"; for a path or command use "if".',
      },
    },
  ];
}
