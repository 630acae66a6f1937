export { knownTools, unknownTool } from './known-tools.ts';
export { matchRule, ruleMatcher } from './match-rule.ts';
export { modes, type ModesOptions } from './modes.ts';
export { parseRule, type ParsedRule, type ParseResult } from './parse-rule.ts';
export { ruleDiagnostics } from './rule-diagnostics.ts';
export { rulesBackend, type RulesOptions } from './rules-backend.ts';
