import { expandPieces, expandWord, isNumber } from './expand.ts';
import { afterCommand } from './after-command.ts';
import { asVariable } from './as-variable.ts';
import { mayNameOutside, namesIn } from './printed-names.ts';
import { printedText } from './printed-text.ts';
import { scriptsInPieces } from './scripts-in-pieces.ts';
import { readTest } from './read-test.ts';
import type { Input, Trouble, Visit, VisitedRedirect, VisitedTest, Walked } from './walked.ts';
import type {
  Arithmetic,
  Assignment,
  Node,
  Piece,
  Redirect,
  Script,
  SimpleCommand,
  Word,
} from './model.ts';
import { assignedNames, changesFolder } from './scan.ts';
import {
  forgotten,
  joinStates,
  anyData,
  someData,
  withVariable,
  type ShellState,
} from './state.ts';

export interface WalkOptions {
  readonly cwd: string;
  readonly home: string;
  readonly isEnvironmentName: (name: string) => boolean;
}

interface Place {
  readonly state: ShellState;
  readonly input: Input;
  readonly inSubshell: boolean;
}
/** The states after success and after failure. */
interface Outcome {
  readonly ok: ShellState;
  readonly failed: ShellState;
}

/** Follows a script as the shell would, and notes what is known at each command. */
export function walk(script: Script, options: WalkOptions): Walked {
  const visits: Visit[] = [];
  const redirects: VisitedRedirect[] = [];
  const tests: VisitedTest[] = [];
  const troubles: Trouble[] = [];
  const trouble = (reason: string | undefined, command?: SimpleCommand): void => {
    if (reason !== undefined) troubles.push({ reason, command });
  };
  const expansion = (state: ShellState) => ({ home: options.home, state });

  const list = (nodes: readonly Node[], place: Place): Outcome => {
    let outcome: Outcome = { ok: place.state, failed: place.state };
    for (const one of nodes)
      outcome = node(one, { ...place, state: joinStates(outcome.ok, outcome.failed) });
    return outcome;
  };
  const listState = (nodes: readonly Node[], place: Place): ShellState => {
    const { ok, failed } = list(nodes, place);
    return joinStates(ok, failed);
  };
  const same = (state: ShellState): Outcome => ({ ok: state, failed: state });

  const scripts = (all: readonly Script[], place: Place) =>
    all.forEach((script) => void list(script.nodes, { ...place, inSubshell: true }));
  /** Follows the scripts that run while words are expanded. */
  const pieces = (all: readonly Piece[], place: Place): void =>
    scripts(scriptsInPieces(all), place);
  const words = (all: readonly Word[], place: Place): void =>
    all.forEach((word) => pieces(word.pieces, place));
  const arithmetic = (one: Arithmetic, place: Place): void => {
    words(one.words, place);
    scripts(one.scripts, place);
  };

  const redirect = (one: Redirect, place: Place, command?: SimpleCommand): Input | undefined => {
    const { target, body } = one;
    if (target) pieces(target.pieces, place);
    if (body) pieces(body.pieces, place);
    const expanded = target && expandWord(target, expansion(place.state));
    const inner = body && expandPieces(body.pieces, '', expansion(place.state), true);
    trouble(inner?.trouble, command);
    if (expanded && expanded.length > 1) trouble('A redirect has several targets.', command);
    redirects.push({ redirect: one, target: expanded?.[0], state: place.state, command });
    if (inner)
      return {
        from: 'file',
        outside: true,
        ...(inner.kind === 'literal' && { text: inner.texts[0] ?? '' }),
      };
    if (one.operator === '<<<') {
      const text = expanded?.[0]?.kind === 'literal' ? expanded[0].texts[0] : undefined;
      return { from: 'file', outside: true, ...(text !== undefined && { text }) };
    }
    if (!one.operator.startsWith('<')) return undefined;
    return { from: 'file', ...(target ? namesIn(target) : { outside: true }) };
  };
  const redirected = (all: readonly Redirect[], place: Place, command?: SimpleCommand): Input => {
    let input = place.input;
    for (const one of all) input = redirect(one, place, command) ?? input;
    return input;
  };

  const assign = (
    assignment: Assignment,
    state: ShellState,
    command: SimpleCommand,
  ): ShellState => {
    const { name, value } = assignment;
    if (options.isEnvironmentName(name)) {
      trouble(`Setting ${name} may change what later commands do.`, command);
      return withVariable(state, name, someData);
    }
    if (!value) {
      trouble(`The value given to ${name} is not followed.`, command);
      return withVariable(state, name, someData);
    }
    const expanded = expandPieces(value.pieces, '', expansion(state), true);
    const counted = value.pieces.length === 1 && value.pieces[0]?.kind === 'arithmetic';
    const isCount = counted && expanded.trouble === undefined;
    return withVariable(state, name, isCount ? { kind: 'number' } : asVariable([expanded]));
  };
  /** What arithmetic sets is a number, when all it reads are: a text would be evaluated, subscripts and all. */
  const calculate = (one: Arithmetic, place: Place): ShellState => {
    arithmetic(one, place);
    one.assigns.forEach(environment);
    if (!one.plain || !one.names.every((name) => isNumber(name, place.state)))
      trouble('Its arithmetic is not over plain numbers.');
    return one.assigns.reduce(
      (next, name) => withVariable(next, name, { kind: 'number' }),
      place.state,
    );
  };

  const simple = (command: SimpleCommand, place: Place): Outcome => {
    for (const assignment of command.assignments) words(assignment.words, place);
    words(command.words, place);
    const input = redirected(command.redirects, place, command);
    if (command.words.length === 0)
      return same(
        command.assignments.reduce((state, one) => assign(one, state, command), place.state),
      );
    const expanded = command.words.flatMap((word) => expandWord(word, expansion(place.state)));
    const after = afterCommand(expanded, place.state, options, input);
    trouble(after.trouble, command);
    visits.push({
      command,
      arguments: expanded,
      state: place.state,
      input,
      moves: after.moves,
      inSubshell: place.inSubshell,
    });
    return { ok: after.ok, failed: after.failed };
  };

  /** What holds at the start of any round of a loop: all that a round may change is open. */
  const loopStart = (state: ShellState, body: readonly Node[]): ShellState => {
    let start = changesFolder(body) ? { ...state, folders: undefined } : state;
    const { names, counted } = assignedNames(body);
    for (const name of names) {
      const number = counted.has(name) && isNumber(name, state);
      start = withVariable(start, name, number ? { kind: 'number' } : anyData);
    }
    return start;
  };
  const environment = (name: string) => {
    if (options.isEnvironmentName(name))
      trouble(`Setting ${name} may change what later commands do.`);
  };

  const node = (one: Node, place: Place): Outcome => {
    const { state } = place;
    switch (one.kind) {
      case 'command':
        return simple(one, place);
      case 'and-or':
        return andOr(one, place);
      case 'pipeline':
        return pipeline(one.parts, place);
      case 'group':
        return list(one.body, place);
      case 'subshell':
        void list(one.body, { ...place, inSubshell: true });
        return same(state);
      case 'background':
      case 'coprocess':
        void node(one.body, { ...place, inSubshell: true });
        return same(state);
      case 'redirected':
        return node(one.body, { ...place, input: redirected(one.redirects, place) });
      case 'if': {
        let next = state;
        const ends: ShellState[] = [];
        for (const branch of one.branches) {
          const tested = list(branch.test, { ...place, state: next });
          ends.push(listState(branch.body, { ...place, state: tested.ok }));
          next = tested.failed;
        }
        ends.push(listState(one.otherwise, { ...place, state: next }));
        return same(ends.reduce(joinStates));
      }
      case 'for':
      case 'select': {
        words(one.words ?? [], place);
        environment(one.name);
        const values = (one.words ?? []).flatMap((word) => expandWord(word, expansion(state)));
        if (!one.words) trouble('A loop runs over unknown arguments.');
        const start = withVariable(loopStart(state, one.body), one.name, asVariable(values));
        return same(joinStates(state, listState(one.body, { ...place, state: start })));
      }
      case 'count': {
        const start = loopStart(calculate(one.first, place), [one]);
        const tested = calculate(one.test, { ...place, state: start });
        const end = listState(one.body, { ...place, state: tested });
        return same(joinStates(start, calculate(one.next, { ...place, state: end })));
      }
      case 'while': {
        const start = loopStart(state, [...one.test, ...one.body]);
        const tested = list(one.test, { ...place, state: start });
        const end = listState(one.body, { ...place, state: tested.ok });
        return same(joinStates(joinStates(tested.failed, end), tested.ok));
      }
      case 'case': {
        pieces(one.word.pieces, place);
        const value = expandPieces(one.word.pieces, '', expansion(state), true);
        trouble(value.trouble);
        let end = state;
        for (const item of one.items) {
          words(item.patterns, place);
          for (const pattern of item.patterns) {
            trouble(expandPieces(pattern.pieces, '', expansion(state), true).trouble);
          }
          // With `;&` one body may follow another: the state before is any that was reached.
          end = joinStates(end, listState(item.body, { ...place, state: end }));
        }
        return same(end);
      }
      case 'function':
        void node(one.body, { ...place, state: forgotten(state), inSubshell: true });
        return same(forgotten(state));
      case 'test':
        for (const test of one.tests) {
          words(test.operands, place);
          const read = readTest(test, expansion(state));
          trouble(read.trouble);
          tests.push({ operator: test.operator, operands: read.operands, state });
        }
        return same(state);
      case 'arithmetic':
        return same(calculate(one.arithmetic, place));
    }
  };

  const andOr = (one: Node & { readonly kind: 'and-or' }, place: Place): Outcome => {
    const [first, ...rest] = one.parts;
    if (!first) return same(place.state);
    let outcome = node(first, place);
    rest.forEach((part, index) => {
      const and = one.operators[index] === '&&';
      const next = node(part, { ...place, state: and ? outcome.ok : outcome.failed });
      outcome = and
        ? { ok: next.ok, failed: joinStates(outcome.failed, next.failed) }
        : { ok: joinStates(outcome.ok, next.ok), failed: next.failed };
    });
    return outcome;
  };

  const pipeline = (parts: readonly Node[], place: Place): Outcome => {
    const [only] = parts;
    if (only && parts.length === 1) {
      // `!` and `time`: the same shell, and either outcome.
      const { ok, failed } = node(only, place);
      return same(joinStates(ok, failed));
    }
    let input = place.input;
    for (const part of parts) {
      const from = visits.length;
      void node(part, { ...place, input, inSubshell: true });
      const outside = input.outside === true || mayNameOutside([part]);
      input = { from: 'pipe', outside, ...printedText(part, visits[from]) };
    }
    return same(place.state);
  };

  void list(script.nodes, {
    state: { folders: [options.cwd], variables: new Map() },
    input: { from: 'session' },
    inSubshell: false,
  });
  return { visits, redirects, tests, troubles };
}
