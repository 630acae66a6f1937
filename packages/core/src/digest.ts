import { hash } from 'node:crypto';
import type { ValidCall } from './call.ts';

/** SHA-256 of what was judged: tool, input, working directory and effects. */
export const digestOf = (call: Pick<ValidCall, 'tool' | 'input' | 'cwd' | 'effects'>): string =>
  sha256([call.tool.name, call.input, call.cwd, call.effects]);

/** SHA-256 of a tool's name and the input as the model wrote it. */
export const useDigest = (name: string, input: unknown): string => sha256([name, input]);

const sha256 = (value: unknown): string => hash('sha256', JSON.stringify(value), 'base64url');
