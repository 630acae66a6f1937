/** Forms that well-known secrets have. A text with one of them is not sent to anybody. */
const forms = [
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/, // AWS access keys
  /\bgh[pousr]_[A-Za-z0-9]{20,}\b|\bgithub_pat_\w{20,}/,
  /\bglpat-[\w-]{20,}/,
  /\bsk-[A-Za-z0-9_-]{20,}/, // OpenAI, Anthropic
  /\b(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}/, // Stripe
  /\bxox[abeoprs]-[\w-]{10,}/, // Slack
  /\bAIza[\w-]{30,}/, // Google
  /\bnpm_[A-Za-z0-9]{30,}/,
  /\bpypi-[\w-]{40,}/,
  /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+/, // JSON web tokens
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /\bauthorization:\s*(?:bearer|basic|token)\s+[^\s"'$]{8,}/i,
  /\b[\w-]*(?:password|passwd|secret|token|api[_-]?key|access[_-]?key)["']?\s*[=:]\s*["']?[^\s"'${}]{6,}/i,
  /[a-z][a-z0-9+.-]*:\/\/[^\s/:@'"]+:[^\s/@'"$]{3,}@/i, // credentials in an address
];

/** True when a text holds what looks like a secret; an empty variable such as `$TOKEN` is none. */
export const holdsSecret = (text: string): boolean => forms.some((form) => form.test(text));
