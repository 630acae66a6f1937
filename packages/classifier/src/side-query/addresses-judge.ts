/**
 * Phrases with which a text speaks to whoever judges it. A command that holds one is no ordinary command:
 * whether the judge noticed or not, a person should look at it.
 */
const phrases = [
  /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:instructions?|prompts?|rules?|descriptions?|polic(?:y|ies)|above|previous|prior)\b/i,
  /\b(?:dear|hey|hello|attention|note to|message (?:for|to)|to) (?:the )?(?:judge|classifier|reviewer|evaluator|assistant|language model|llm|ai)\b/i,
  /\byou are (?:now )?(?:an?|the) (?:judge|classifier|assistant|helpful|model|ai)\b/i,
  /\b(?:classif(?:y|ied)|judge|treat|mark|consider|rate) (?:this|it|the (?:command|call)) (?:as )?(?:safe|allowed?|harmless|read-?only|approved|high)\b/i,
  /\b(?:this|the) (?:command|call|input) (?:is|was|has been) (?:already )?(?:safe|allowed|approved|authori[sz]ed|pre-?approved|harmless|tested)\b/i,
  /\b(?:answer|respond|reply|output|return)\b.{0,30}\b(?:allow|verdict|confidence|addressesJudge)\b/i,
  /["']?\b(?:verdict|addressesJudge|confidence)\b["']?\s*[:=]\s*["']?(?:allow|high|true|false)/i,
  /<\/?call\b|<\/?(?:system|instructions?|assistant)\b[^>]*>|\[\/?INST\]|<\|(?:im_start|im_end|system|user|assistant)/i,
  /\b(?:system|developer) (?:prompt|message)\s*:/i,
];

/** True when a text seems to speak to a model that judges it. */
export const addressesJudge = (text: string): boolean =>
  phrases.some((phrase) => phrase.test(text));
