import { hash } from 'node:crypto';
import type { ValidCall } from './call.ts';
import { canonicalJson } from './json.ts';

/** SHA-256 of what was judged: tool, input, working directory and effects. Equal input, equal text. */
export const digestOf = (call: Pick<ValidCall, 'tool' | 'input' | 'cwd' | 'effects'>): string =>
  hash('sha256', canonicalJson([call.tool.name, call.input, call.cwd, call.effects]), 'base64url');

/** SHA-256 of a tool's name and the input as the model wrote it. */
export const useDigest = (name: string, input: unknown): string =>
  hash('sha256', canonicalJson([name, input]), 'base64url');
