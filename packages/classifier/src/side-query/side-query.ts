import { ask, definePlugin, type LanguageModel } from '@toolgate/core';
import { AutoDenials } from './auto-denials.ts';
import { createJudge } from './create-judge.ts';

/** How the side query asks; everything is optional. */
export interface SideQueryOptions {
  /** The model that judges. Default: the gate's. Without one there is no side query. */
  readonly model?: LanguageModel;
  /** Milliseconds after which the judge has no opinion. Default 15,000. */
  readonly timeoutMs?: number;
  /** How many answers are remembered. Default 200. */
  readonly mostAnswers?: number;
  /** Calls whose text it says true of are never sent. Default: well-known forms of secrets. */
  readonly holdsSecret?: (text: string) => boolean;
  /** When mode auto asks instead of denying. Default: after 3 denials in a row, or 20 in all. */
  readonly autoDenials?: { readonly inARow?: number; readonly inAll?: number };
}

/**
 * A language model's opinion where rules leave a call undecided: what people described in words, and in mode
 * auto the decision. Started in stage 3, awaited in stage 4; whatever fails means no opinion.
 */
export const sideQuery = definePlugin<SideQueryOptions | void>({
  name: '@toolgate/side-query',
  setup(gate, options) {
    const model = options?.model ?? gate.ports.model;
    if (!model) return;
    const judge = createJudge(gate, model, options ?? {});
    const denials = new AutoDenials({ inARow: 3, inAll: 20, ...options?.autoDenials });

    // What is only explained does not pass stage 3, and then nobody is asked.
    const running = new WeakSet<object>();

    gate.hooks.start.tap('side-query', ({ call, undecided, signal }) => {
      running.add(call.toolUse);
      // Without `peek` nobody knows yet; then it is asked after the opinions.
      if (undecided !== true) return undefined;
      const later = judge(call, call.settings, signal);
      return later && { later };
    });

    gate.hooks.resolve.tap(
      { name: 'side-query', slot: 'classifier' },
      async (input, { signal }) => {
        const { call, verdict } = input;
        if (verdict.behavior !== 'undecided' || !running.has(call.toolUse)) return undefined;
        const opinion = await (call.pendingClassifierCheck ?? judge(call, call.settings, signal));
        if (call.settings.mode !== 'auto' || opinion?.behavior !== 'deny') return opinion;
        return denials.denied()
          ? ask('Auto mode refused several calls, so a person is asked.')
          : opinion;
      },
    );
    gate.hooks.emit.tap('side-query', ({ decision }) => {
      if (decision?.behavior === 'allow') denials.allowed();
    });
  },
});
