import { parse as parseTree } from 'unbash';
import type * as Tree from 'unbash';
import type {
  Assignment,
  Node,
  ParsedText,
  Problem,
  Redirect,
  Script,
  SimpleCommand,
  Test,
  Word,
} from './model.ts';
import { findRefused } from './refused.ts';
import { createArithmeticReader } from './read-arithmetic.ts';
import { createWordReader, type WordReader } from './read-word.ts';

export type { Tree };

/** Reads a text as Bash. Never throws; what is not understood is a problem or an unknown piece. */
export function parseBash(text: string): ParsedText {
  const refused = findRefused(text);
  // Beyond the limit nothing is parsed, so that no text can make the parser slow.
  if (refused.some((problem) => problem.code === 'too-long'))
    return { text, script: { nodes: [] }, problems: refused, valid: false };
  const reader = new TreeReader();
  let script: Script = { nodes: [] };
  try {
    script = reader.script(parseTree(text));
  } catch (error) {
    reader.problem('syntax', `The parser failed: ${String(error)}`, 0);
  }
  if (text.trim() === '') reader.problem('empty', 'The command is empty.', 0);
  return {
    text,
    script,
    problems: [...refused, ...reader.problems],
    // Bash reads no text with a NUL.
    valid: !text.includes('\0') && !reader.problems.some((problem) => problem.code === 'syntax'),
  };
}

/** Turns the parser's tree into our model. Problems of nested scripts are collected with the rest. */
class TreeReader {
  readonly problems: Problem[] = [];
  readonly words: WordReader = createWordReader({
    script: (script) => this.script(script),
    arithmetic: (expression) => this.arithmetic(expression),
    problem: (code, message, at) => this.problem(code, message, at),
  });

  readonly arithmetic = createArithmeticReader({
    script: (script) => this.script(script),
    pieces: (parts) => this.words.pieces(parts, true),
  });

  problem(code: Problem['code'], message: string, at: number): void {
    this.problems.push({ code, message, at });
  }

  script(script: Tree.ParsedScript | undefined): Script {
    if (!script) {
      this.problem('syntax', 'A nested script could not be read.', 0);
      return { nodes: [] };
    }
    for (const error of script.errors ?? [])
      this.problem('syntax', `Not valid Bash: ${error.message}.`, error.pos);
    return { nodes: script.commands.map((statement) => this.statement(statement)) };
  }

  statement(statement: Tree.Statement): Node {
    const body = this.node(statement.command);
    if (!statement.background) return body;
    this.problem('background', 'A command runs in the background.', statement.pos);
    return { kind: 'background', body };
  }

  list(list: Tree.CompoundList): readonly Node[] {
    return list.commands.map((statement) => this.statement(statement));
  }

  node(node: Tree.PipelineNode | Tree.AndOr | Tree.CompoundList): Node {
    switch (node.type) {
      case 'Command':
        return this.command(node);
      case 'AndOr':
        return {
          kind: 'and-or',
          parts: node.commands.map((part) => this.node(part)),
          operators: node.operators,
        };
      case 'Pipeline':
        return { kind: 'pipeline', parts: node.commands.map((part) => this.node(part)) };
      case 'CompoundList':
        return { kind: 'group', body: this.list(node) };
      case 'BraceGroup':
        return { kind: 'group', body: this.list(node.body) };
      case 'Subshell':
        return { kind: 'subshell', body: this.list(node.body) };
      case 'Redirected':
        return {
          kind: 'redirected',
          body: this.node(node.command),
          redirects: node.redirects.map((redirect) => this.redirect(redirect)),
        };
      case 'If':
        return {
          kind: 'if',
          branches: [node, ...node.elif].map((branch) => ({
            test: this.list(branch.clause),
            body: this.list(branch.then),
          })),
          otherwise: node.else ? this.list(node.else) : [],
        };
      case 'For':
      case 'Select':
        if (node.type === 'Select')
          this.problem('select', 'A select loop reads from the terminal.', node.pos);
        return {
          kind: node.type === 'For' ? 'for' : 'select',
          name: node.name.value,
          words: node.wordlist?.map((word) => this.words.word(word)),
          body: this.list(node.body),
        };
      case 'ArithmeticFor':
        return {
          kind: 'count',
          first: this.arithmetic(node.initialize),
          test: this.arithmetic(node.test),
          next: this.arithmetic(node.update),
          body: this.list(node.body),
        };
      case 'While':
        return { kind: 'while', test: this.list(node.clause), body: this.list(node.body) };
      case 'Case':
        return {
          kind: 'case',
          word: this.words.word(node.word),
          items: node.items.map((item) => ({
            patterns: item.pattern.map((word) => this.words.word(word)),
            body: this.list(item.body),
          })),
        };
      case 'Function':
        this.problem(
          'function',
          `The function ${node.name.text} changes what a name means.`,
          node.pos,
        );
        return { kind: 'function', name: node.name.value, body: this.node(node.body) };
      case 'Coproc':
        this.problem('coprocess', 'A coprocess runs beside the rest.', node.pos);
        return { kind: 'coprocess', body: this.node(node.body) };
      case 'TestCommand':
        return { kind: 'test', tests: this.tests(node.expression) };
      case 'ArithmeticCommand':
        return { kind: 'arithmetic', arithmetic: this.arithmetic(node.expression) };
      default:
        return this.unreadable(node);
    }
  }

  unreadable(node: { readonly type: string; readonly pos: number }): Node {
    this.problem('syntax', `The construct ${node.type} is not known.`, node.pos);
    return { kind: 'group', body: [] };
  }

  command(command: Tree.Command): SimpleCommand {
    const words: Word[] = [];
    const assignments: Assignment[] = [];
    const redirects: Redirect[] = [];
    const parts = [...command.prefix, ...(command.name ? [command.name] : []), ...command.suffix];
    for (const run of touchingRuns(parts)) {
      const [first, ...rest] = run;
      if (
        first?.type === 'Redirect' &&
        parts.some(
          (part) => part.type === 'Word' && part.pos === first.end && /^[<>]\(/.test(part.text),
        )
      )
        this.problem(
          'syntax',
          'A redirect to a process substitution within a name is not read.',
          first.pos,
        );
      if (first?.type === 'Redirect' || first?.type === 'HereString' || first?.type === 'HereDoc')
        redirects.push(this.redirect(first));
      else if (first?.type === 'Assignment' && words.length === 0)
        assignments.push(this.assignment(first, rest));
      else if (first) {
        const word = this.glued(run);
        // Behind a value that the parser cut off, what it took for words may be assignments still.
        const name =
          words.length === 0
            ? /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/.exec(word.text)?.[1]
            : undefined;
        if (name === undefined) words.push(word);
        else assignments.push({ name, text: word.text, at: word.at, words: [word] });
      }
    }
    return { kind: 'command', at: command.pos, words, assignments, redirects };
  }

  /** Words that touch are one: the parser starts a new one at a process substitution, Bash does not. */
  glued(run: readonly Part[]): Word {
    const words = run.flatMap((part) =>
      part.type === 'Word'
        ? [this.words.word(part)]
        : part.type === 'Assignment'
          ? [this.words.declaration(part)]
          : [],
    );
    const [first] = words;
    if (first && words.length === 1) return first;
    return {
      text: words.map((word) => word.text).join(''),
      at: first?.at ?? 0,
      pieces: words.flatMap((word) => word.pieces),
    };
  }

  assignment(assignment: Tree.Assignment, rest: readonly Part[] = []): Assignment {
    const { name, text, pos: at, value, index } = assignment;
    const inner = value.type === 'Word' ? [value] : value.elements;
    const words = [...(index ? [index] : []), ...inner].map((word) => this.words.word(word));
    if (rest.length > 0) {
      const more = this.glued(rest);
      return { name, text: text + more.text, at, words: [...words, more] };
    }
    const followed = value.type === 'Word' && !index && !assignment.append ? words[0] : undefined;
    return { name, text, at, words, ...(followed && { value: followed }) };
  }

  redirect(redirect: Tree.Redirection): Redirect {
    const descriptor = redirect.descriptor;
    const base = {
      at: redirect.pos,
      operator: redirect.operator,
      descriptor: descriptor?.type === 'FileDescriptor' ? descriptor.value : undefined,
      named: descriptor?.type === 'FileDescriptorVariable',
    };
    if (redirect.type !== 'HereDoc')
      return { ...base, target: redirect.target && this.words.word(redirect.target) };
    const quoted = redirect.delimiter?.quoted ?? false;
    const { text, parts } = redirect.body;
    const stripped = redirect.operator === '<<-' ? text.replaceAll(/^\t+/gm, '') : text;
    const pieces = parts
      ? this.words.pieces(parts, true)
      : [{ kind: 'text' as const, text: stripped, quoted: true }];
    return { ...base, target: undefined, body: { text: stripped, pieces, quoted } };
  }

  tests(test: Tree.TestExpression): readonly Test[] {
    switch (test.type) {
      case 'TestUnary':
        return [{ operator: test.operator, operands: [this.words.word(test.operand, true)] }];
      case 'TestBinary': {
        const operands = [test.left, test.right].map((word) => this.words.word(word, true));
        return [{ operator: test.operator, operands }];
      }
      case 'TestLogical':
        return test.operands.flatMap((operand) => this.tests(operand));
      case 'TestNot':
        return this.tests(test.operand);
      case 'TestGroup':
        return this.tests(test.expression);
      default:
        return [{ operator: 'unknown', operands: [] }];
    }
  }
}

type Part = Tree.Assignment | Tree.Redirection | Tree.Word;

/** Groups the parts of a command that stand without a blank between them. A redirect always stands alone. */
function touchingRuns(parts: readonly Part[]): readonly (readonly Part[])[] {
  const runs: Part[][] = [];
  for (const part of parts) {
    const last = runs.at(-1)?.at(-1);
    const joins = (one: Part | undefined) => one?.type === 'Word' || one?.type === 'Assignment';
    if (last && joins(last) && joins(part) && last.end === part.pos) runs.at(-1)?.push(part);
    else runs.push([part]);
  }
  return runs;
}
