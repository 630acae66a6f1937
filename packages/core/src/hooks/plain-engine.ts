/** How steps are run: all at once, one after the other, or until one stops. */
export type Shape = 'parallel' | 'waterfall' | 'bail';
/** A guarded step: never throws, calls `done` exactly once. */
export type StepFunction<I> = (invocation: I, done: (stop: boolean) => void) => void;
export type Engine<I> = (invocation: I, done: () => void) => void;

/** Runs the four shapes without generated code, for runtimes that forbid it. Answers like tapable's. */
export function plainEngine<I>(shape: Shape, steps: readonly StepFunction<I>[]): Engine<I> {
  return shape === 'parallel' ? parallel(steps) : series(steps, shape === 'bail');
}

function parallel<I>(steps: readonly StepFunction<I>[]): Engine<I> {
  return (invocation, done) => {
    let open = steps.length;
    if (open === 0) return done();
    for (const step of steps)
      step(invocation, () => {
        open -= 1;
        if (open === 0) done();
      });
  };
}

function series<I>(steps: readonly StepFunction<I>[], canStop: boolean): Engine<I> {
  return (invocation, done) => {
    const next = (index: number): void => {
      const step = steps[index];
      if (!step) return done();
      step(invocation, (stop) => (stop && canStop ? done() : next(index + 1)));
    };
    next(0);
  };
}
