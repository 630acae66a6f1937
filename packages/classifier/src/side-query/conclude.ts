import { allow, ask, deny, type Opinion } from '@toolgate/core';
import { addressesJudge } from './addresses-judge.ts';
import { idOf, type JudgeAnswer, type Judged } from './question.ts';

/**
 * What a judge's answer means. Only an allow of high confidence that names an allow description, or, in mode
 * auto, none, allows; a command that speaks to the judge asks, whatever the judge says. An answer that
 * contradicts itself is no opinion.
 */
export function conclude(answer: JudgeAnswer, judged: Judged): Opinion | undefined {
  if (answer.addressesJudge || addressesJudge(judged.text))
    return ask('The call speaks to the model that judges it, so a person must look at it.');
  const { verdict, confidence } = answer;
  if (verdict === 'none') return undefined;
  const index = judged.descriptions.findIndex((_, at) => idOf(at) === answer.matched);
  const description = judged.descriptions[index];
  if (!description) return answer.matched === 'none' && judged.auto ? byItself(answer) : undefined;
  const applies = description.tool === undefined || description.tool === judged.tool;
  if (!applies) return undefined;
  const words = `“${description.text}”`;
  if (verdict === 'allow')
    return description.effect === 'allow' && confidence === 'high'
      ? allow(`It matches what you described as allowed: ${words}.`, 'all')
      : undefined;
  if (description.effect === 'allow') return undefined;
  // A deny that is not sure asks; an ask that is not sure is still worth a person's look.
  return description.effect === 'deny' && confidence === 'high'
    ? deny(`It matches what the person described as not allowed: ${words}.`)
    : ask(`It may be what you described as not allowed: ${words}.`);
}

function byItself({ verdict, confidence, reason }: JudgeAnswer): Opinion | undefined {
  const why = oneLine(reason);
  if (verdict === 'allow')
    return confidence === 'high' ? allow(`Auto mode allowed it: ${why}`, 'all') : undefined;
  if (verdict === 'deny')
    return confidence === 'low'
      ? ask(`Auto mode is not sure: ${why}`)
      : deny(`Auto mode refused it: ${why}`);
  return ask(`Auto mode asks: ${why}`);
}

const oneLine = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
};
