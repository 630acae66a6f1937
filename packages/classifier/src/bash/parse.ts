import { parse as parseTree } from 'unbash';
import type * as Tree from 'unbash';
import type {
  Arithmetic,
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
    const words: Word[] = command.name ? [this.words.word(command.name)] : [];
    const assignments: Assignment[] = [];
    const redirects: Redirect[] = [];
    for (const part of command.prefix)
      if (part.type === 'Assignment') assignments.push(this.assignment(part));
      else redirects.push(this.redirect(part));
    for (const part of command.suffix)
      if (part.type === 'Word') words.push(this.words.word(part));
      else if (part.type === 'Assignment') words.push(this.words.declaration(part));
      else redirects.push(this.redirect(part));
    return { kind: 'command', at: command.pos, words, assignments, redirects };
  }

  assignment(assignment: Tree.Assignment): Assignment {
    const { name, text, pos: at, value, index } = assignment;
    const inner = value.type === 'Word' ? [value] : value.elements;
    const words = [...(index ? [index] : []), ...inner].map((word) => this.words.word(word));
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

  arithmetic(expression: Tree.ArithmeticExpression | undefined): Arithmetic {
    if (!expression) return emptyArithmetic;
    switch (expression.type) {
      case 'ArithmeticBinary': {
        const assigns = /^(?:[^=!<>]|<<|>>)?=$/.test(expression.operator);
        return joinArithmetic([
          // A plain `=` does not read what it sets; every other assignment does.
          ...(expression.operator === '=' ? [] : [this.arithmetic(expression.left)]),
          this.arithmetic(expression.right),
          ...(assigns ? [assignsTo(expression.left)] : []),
        ]);
      }
      case 'ArithmeticUnary':
        return joinArithmetic([
          this.arithmetic(expression.operand),
          ...(/^(?:\+\+|--)$/.test(expression.operator) ? [assignsTo(expression.operand)] : []),
        ]);
      case 'ArithmeticTernary':
        return joinArithmetic(
          [expression.test, expression.consequent, expression.alternate].map((part) =>
            this.arithmetic(part),
          ),
        );
      case 'ArithmeticGroup':
        return this.arithmetic(expression.expression);
      case 'ArithmeticCommandExpansion':
        return { ...emptyArithmetic, plain: false, scripts: [this.script(expression.script)] };
      case 'ArithmeticWord':
        return this.arithmeticWord(expression);
      default:
        return { ...emptyArithmetic, plain: false };
    }
  }

  arithmeticWord(word: Tree.ArithmeticWord): Arithmetic {
    const parts = word.parts
      ? [{ text: word.value, at: word.pos, pieces: this.words.pieces(word.parts, true) }]
      : [];
    const value = word.value.trim();
    if (/^(?:\d+|0[xX][\da-fA-F]+|)$/.test(value)) return { ...emptyArithmetic, words: parts };
    const name = /^(?:\$?([A-Za-z_]\w*|[#?])|\$\{([A-Za-z_]\w*)\})$/.exec(value);
    const found = name?.[1] ?? name?.[2];
    return {
      ...emptyArithmetic,
      plain: found !== undefined,
      names: found === undefined ? [] : [found],
      words: parts,
    };
  }
}

const emptyArithmetic: Arithmetic = { plain: true, names: [], assigns: [], words: [], scripts: [] };

function assignsTo(target: Tree.ArithmeticExpression): Arithmetic {
  const name = target.type === 'ArithmeticWord' && /^[A-Za-z_]\w*$/.exec(target.value.trim());
  return name ? { ...emptyArithmetic, assigns: [name[0]] } : { ...emptyArithmetic, plain: false };
}

function joinArithmetic(parts: readonly Arithmetic[]): Arithmetic {
  return {
    plain: parts.every((part) => part.plain),
    names: parts.flatMap((part) => part.names),
    assigns: parts.flatMap((part) => part.assigns),
    words: parts.flatMap((part) => part.words),
    scripts: parts.flatMap((part) => part.scripts),
  };
}
