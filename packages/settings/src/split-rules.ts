/** Takes a list of rules in one text apart, at commas and blanks outside parentheses: `Bash(git *),Edit Read`. */
export function splitRules(text: string): readonly string[] {
  const rules: string[] = [];
  let depth = 0;
  let rule = '';
  for (const char of text) {
    if (char === '(') depth += 1;
    if (char === ')' && depth > 0) depth -= 1;
    if (depth > 0 || !/[\s,]/.test(char)) rule += char;
    else {
      if (rule !== '') rules.push(rule);
      rule = '';
    }
  }
  return rule === '' ? rules : [...rules, rule];
}
