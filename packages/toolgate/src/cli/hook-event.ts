import { didYouMean } from '@toolgate/core';
import { hookEvents, type HookEvent } from '@toolgate/hooks';
import { UsageError } from './usage-error.ts';

/** The event of that very name. */
export function checkEvent(name: string): HookEvent {
  const events = Object.keys(hookEvents()) as HookEvent[]; // its keys are the events
  const event = events.find((known) => known === name);
  if (event) return event;
  const right = events.find((known) => known.toLowerCase() === name.toLowerCase());
  const hint = right ? ` Did you mean "${right}"?` : didYouMean(name, events);
  throw new UsageError(`there is no hook event "${name}".${hint}`);
}
