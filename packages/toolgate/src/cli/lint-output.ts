import { isAbsolute, relative, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { visibleText, type LintFinding } from '@toolgate/core';

/** How findings are written. */
export type LintFormat = 'text' | 'jsonl' | 'sarif' | 'github';

/** All findings in one form, as one text. */
export function formatFindings(
  findings: readonly LintFinding[],
  format: LintFormat,
  cwd: string,
): string {
  if (format === 'sarif') return `${JSON.stringify(sarif(findings, cwd), undefined, 2)}\n`;
  const write = { text, jsonl, github }[format];
  return findings.map((finding) => `${write(finding, cwd)}\n`).join('');
}

/** The name of a file from the folder, where it lies in it. */
function shortName(file: string, cwd: string): string {
  const name = relative(cwd, file);
  return name === '' || name.split(sep)[0] === '..' || isAbsolute(name) ? file : name;
}

const text = ({ file = '', line = 1, severity, code, message, fix }: LintFinding, cwd: string) =>
  `${visibleText(`${shortName(file, cwd)}:${line}: ${severity} ${code}: ${message}`)}\n    ${visibleText(`fix${fix.edit ? ' (--fix)' : ''}: ${fix.message}`)}`;

const jsonl = ({ file, pointer, line, code, severity, message, fix }: LintFinding) =>
  JSON.stringify({ file, pointer, line, code, severity, message, fix });

const commands = { error: 'error', warning: 'warning', info: 'notice' } as const;

/** A workflow command of GitHub Actions. A line break or separator in it must not begin another. */
function github(
  { file = '', line = 1, severity, code, message, fix }: LintFinding,
  cwd: string,
): string {
  const property = (value: string) => escaped(value).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const name = shortName(file, cwd).replaceAll('\\', '/');
  return `::${commands[severity]} file=${property(name)},line=${line},title=${property(code)}::${escaped(`${message} ${fix.message}`)}`;
}

const escaped = (value: string): string =>
  value.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');

const levels = { error: 'error', warning: 'warning', info: 'note' } as const;

/** SARIF 2.1.0. */
function sarif(findings: readonly LintFinding[], cwd: string): unknown {
  const codes = [...new Set(findings.map(({ code }) => code))].toSorted();
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'toolgate', rules: codes.map((id) => ({ id })) } },
        results: findings.map(
          ({ file = '', line = 1, pointer = '', code, severity, message, fix }) => ({
            ruleId: code,
            ruleIndex: codes.indexOf(code),
            level: levels[severity],
            message: { text: `${message} ${fix.message}` },
            locations: [
              {
                physicalLocation: {
                  artifactLocation: { uri: uriOf(file, cwd) },
                  region: { startLine: line },
                },
                logicalLocations: [{ fullyQualifiedName: pointer }],
              },
            ],
          }),
        ),
      },
    ],
  };
}

function uriOf(file: string, cwd: string): string {
  const name = shortName(file, cwd);
  return isAbsolute(name)
    ? pathToFileURL(name).href
    : name.split(sep).map(encodeURIComponent).join('/');
}
