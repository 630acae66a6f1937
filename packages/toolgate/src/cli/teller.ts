import type { Diagnostic } from '@toolgate/core';
import { describe, say } from './output.ts';

/** How many warnings and notes a run prints one by one; errors are always printed. */
const mostShown = 20;

/** Tells people on standard error what was ignored, dropped or failed; as JSON Lines where events are asked for. */
export interface Teller {
  diagnostic(diagnostic: Diagnostic): void;
  note(text: string): void;
  /** Says how much was left out. */
  end(): void;
}

export function createTeller(asEvents: boolean): Teller {
  const print = (event: object) => void process.stderr.write(`${JSON.stringify(event)}\n`);
  if (asEvents)
    return {
      diagnostic: (diagnostic) => print({ event: 'diagnostic', ...diagnostic }),
      note: (message) => print({ event: 'diagnostic', code: 'note', severity: 'info', message }),
      end: () => undefined,
    };
  let shown = 0;
  return {
    diagnostic(diagnostic) {
      if (diagnostic.severity !== 'error') shown += 1;
      if (shown <= mostShown || diagnostic.severity === 'error') say(describe(diagnostic));
    },
    note: say,
    end() {
      if (shown > mostShown)
        say(`and ${shown - mostShown} warnings and notes more; --events shows them all`);
    },
  };
}
