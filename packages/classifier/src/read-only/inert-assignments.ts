import type { Assignment } from '../bash/model.ts';

// For rules: variables that tell a program how to talk, not what to run.
const forRules =
  /^(?:NODE_ENV|CI|LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORTERM|COLUMNS|LINES|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|DEBIAN_FRONTEND|FORCE_TTY)$/;
const forReading =
  /^(?:LANG|LANGUAGE|LC_[A-Z]+|TZ|TERM|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLORTERM|COLUMNS|LINES)$/;

const constant = (assignment: Assignment): string | undefined =>
  assignment.value?.pieces.every((piece) => piece.kind === 'text')
    ? assignment.value.pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('')
    : undefined;

/** True when an allow rule may look past a leading assignment. */
export function isInertForRules(assignment: Assignment): boolean {
  return forRules.test(assignment.name) && constant(assignment) !== undefined;
}

/** True when a leading assignment changes nothing about a command's being read-only. */
export function isInertForReading(assignment: Assignment): boolean {
  // A slash could name a file: of a locale, a time zone, a terminal description.
  return (
    forReading.test(assignment.name) &&
    /^[\w.:@,+=-]*$/.test(constant(assignment) ?? '/') &&
    !constant(assignment)?.startsWith(':')
  );
}
