import { classifyBash } from './classify-bash.ts';

/** Why a command destroys what cannot be restored, in one sentence for people; `undefined` when it does not. */
export function getDestructiveCommandWarning(command: string): string | undefined {
  const { warnings } = classifyBash(command);
  const critical = warnings.find(({ code }) => code === 'critical-removal');
  return (critical ?? warnings.find(({ code }) => code === 'destructive'))?.message;
}
