import type { LintFinding, RuleEntry } from '@toolgate/core';
import { dangerousAllow } from '../dangerous-allow.ts';
import { canonicalName } from '../legacy-names.ts';
import { parseRule, type ParsedRule } from '../parse-rule.ts';
import { contentKind } from '../rule-syntax.ts';
import { findingOf } from './finding-of.ts';

type Found = Pick<LintFinding, 'code' | 'severity' | 'message' | 'fix'>;
/** Looks at one rule; what it finds needs no other rule. */
type Check = (rule: ParsedRule, entry: RuleEntry) => Found | undefined;

const replaceBy = (value: string) => ({ op: 'replace', value }) as const;
const written = ({ tool, content }: ParsedRule): string =>
  content === undefined ? tool : `${tool}(${content})`;

/** A command longer than this was approved once and will hardly come again. */
const oneShotLength = 120;

/** Parts of shell statements; none of them is a command of its own. */
const keywords =
  /^(?:(?:for|while|until|if|elif|case|select) .*|(?:do|then|else)(?: .*)?|done|fi|esac|\{|\})$/s;

/** Tools that are gone without an alias, and what does their work now. */
export const goneTools: ReadonlyMap<string, string> = new Map([
  ['MultiEdit', 'Edit'],
  ['LS', 'Read'],
  ['NotebookRead', 'Read'],
  ['TodoRead', 'TodoWrite'],
  ['SlashCommand', 'Skill'],
]);

const retired: Check = (rule) => {
  const now = canonicalName(rule.tool);
  if (now !== rule.tool)
    return {
      code: 'rule-retired-tool',
      severity: 'info',
      message: `${rule.tool} is the old name of ${now}; it still works.`,
      fix: { message: `Write ${now}.`, edit: replaceBy(written({ ...rule, tool: now })) },
    };
  const successor = goneTools.get(rule.tool);
  return successor === undefined
    ? undefined
    : {
        code: 'rule-retired-tool',
        severity: rule.tool === 'MultiEdit' ? 'info' : 'warning',
        message: `there is no tool ${rule.tool} any more.`,
        fix: { message: `Remove it, or write a rule for ${successor}.` },
      };
};

const multiLine: Check = (rule) =>
  rule.content !== undefined && /[\r\n]/.test(rule.content)
    ? {
        code: 'rule-multi-line',
        severity: 'warning',
        message:
          'it spans lines, and each line of a command is judged alone, so it can never match as it stands.',
        fix: { message: 'Write one rule for each command.' },
      }
    : undefined;

const dangerous: Check = (rule, entry) => {
  const why = entry.behavior === 'allow' ? dangerousAllow(rule) : undefined;
  return why === undefined
    ? undefined
    : {
        code: 'rule-dangerous-allow',
        severity: 'warning',
        message: `it ${why}.`,
        fix: { message: 'Name the commands that may run, with their first arguments.' },
      };
};

const oneShot: Check = ({ content = '' }) =>
  content.length > oneShotLength && !content.endsWith('*')
    ? {
        code: 'rule-one-shot',
        severity: 'info',
        message: `it is one command of ${content.length} characters, which hardly comes again.`,
        fix: { message: 'Remove it, or write a pattern for what it was about.' },
      }
    : undefined;

const commandChecks: readonly Check[] = [
  ({ content = '' }) =>
    keywords.test(content) && !/[\r\n]/.test(content)
      ? {
          code: 'rule-shell-keyword',
          severity: 'warning',
          message: 'it is a part of a shell statement, not a command, so it can never match.',
          fix: { message: 'Remove it, and write a rule for the command inside the statement.' },
        }
      : undefined,
  ({ content = '' }) =>
    hasOperator(content) && !keywords.test(content) && !/[\r\n]/.test(content)
      ? {
          code: 'rule-shell-operator',
          severity: 'warning',
          message:
            'it holds a shell operator, and each part of a command is judged alone, so it can never match.',
          fix: { message: 'Write one rule for each part.' },
        }
      : undefined,
  ({ content = '' }, { behavior }) =>
    behavior === 'allow' && /^[A-Za-z_]\w*=.*\*$/s.test(content)
      ? {
          code: 'rule-assignment',
          severity: 'warning',
          message: 'a pattern allows no command with an assignment of unknown effect before it.',
          fix: { message: 'Leave the assignment out, or write the exact command.' },
        }
      : undefined,
  ({ content = '' }, { behavior }) =>
    behavior === 'allow' && /^[A-Za-z_]\w*=\S*\s[^*]*$/s.test(content)
      ? {
          code: 'rule-assignment',
          severity: 'info',
          message: 'the assignment is a part of the rule, so it matches with this one value alone.',
          fix: { message: 'Leave the assignment out where any value may stand there.' },
        }
      : undefined,
  (rule) =>
    /\s:\*$/.test(rule.content ?? '')
      ? {
          code: 'rule-blank-before-colon',
          severity: 'info',
          message: 'the blank before ":*" has no meaning.',
          fix: {
            message: 'Write a blank and a star.',
            edit: replaceBy(`${rule.tool}(${(rule.content ?? '').replace(/\s+:\*$/, ' *')})`),
          },
        }
      : undefined,
  ({ content = '' }) =>
    /:\*(?!$)/.test(content)
      ? {
          code: 'rule-inner-colon-star',
          severity: 'warning',
          message:
            '":*" is a prefix at the end only; here the colon is a plain character, so it hardly ever matches.',
          fix: { message: 'Write " *" for any arguments here.' },
        }
      : undefined,
];

const drivePath: Check = ({ content = '' }) =>
  /^\/{0,2}[A-Za-z]:[\\/]/.test(content)
    ? {
        code: 'rule-drive-path',
        severity: 'warning',
        message:
          'a drive letter and backslashes are no anchor of a path rule, so it can never match as it stands.',
        fix: { message: 'Write //c/folder/** for C:\\folder.' },
      }
    : undefined;

/** No tool that works on one file has a field of these names. */
const strangeField: Check = ({ tool, content = '' }, { behavior }) => {
  const path = /^(?:path|file|filename|file_name)\s*:\s*(.+)$/s.exec(content)?.[1];
  if (path === undefined || !/^(?:Read|Edit|Write|MultiEdit|NotebookEdit)$/.test(tool))
    return undefined;
  const right = `${tool === 'Read' ? 'Read' : 'Edit'}(${path})`;
  return {
    code: 'rule-unknown-field',
    severity: 'warning',
    message: `${tool} has no such field, so it can never match.`,
    fix: {
      message: `Write ${right}.`,
      ...(behavior !== 'allow' && { edit: replaceBy(right) }),
    },
  };
};

const checksOf = (rule: ParsedRule): readonly Check[] => {
  const kind = contentKind(rule.tool);
  const isOfCommand = kind === 'command' && rule.content !== undefined;
  return [
    retired,
    strangeField,
    ...(kind === 'command' || kind === 'powershell' ? [multiLine, dangerous, oneShot] : []),
    ...(isOfCommand ? commandChecks : []),
    ...(kind === 'path' ? [drivePath] : []),
  ];
};

/** What can be said of each rule by itself, beside what the compiler of rules says. */
export const singleRules = (rules: readonly RuleEntry[]): readonly LintFinding[] =>
  rules.flatMap((entry) => {
    const parsed = parseRule(entry.text);
    if (!parsed.ok) return [];
    return checksOf(parsed.rule).flatMap((check) => {
      const found = check(parsed.rule, entry);
      return found ? [findingOf(entry, found)] : [];
    });
  });

/** True for `&&`, `||`, `;`, `|` or `&` outside quotes; a `2>&1` is none. */
function hasOperator(content: string): boolean {
  if (content.startsWith('prompt:')) return false;
  const bare = content
    .replaceAll(/\\./gs, '')
    .replaceAll(/'[^']*'|"[^"]*"/g, '')
    .replaceAll(/[<>]&|&>/g, '');
  return /[;&|]/.test(bare);
}
