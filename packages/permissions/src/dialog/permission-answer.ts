import { permissionModes, updateDestinations, type PermissionAnswer } from '@toolgate/core';
import { z } from 'zod';

const destination = z.enum(updateDestinations as [string, ...string[]]);
const update = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.enum(['addRules', 'replaceRules', 'removeRules']),
    rules: z.array(z.strictObject({ toolName: z.string(), ruleContent: z.string().optional() })),
    behavior: z.enum(['allow', 'ask', 'deny']),
    destination,
  }),
  z.strictObject({
    type: z.literal('setMode'),
    mode: z.enum(permissionModes as [string, ...string[]]),
    destination,
  }),
  z.strictObject({
    type: z.enum(['addDirectories', 'removeDirectories']),
    directories: z.array(z.string()),
    destination,
  }),
]);
const answer = z.discriminatedUnion('behavior', [
  z.strictObject({
    behavior: z.literal('allow'),
    updatedInput: z.record(z.string(), z.json()).optional(),
    rules: z.array(z.string()).optional(),
    destination: destination.optional(),
    updates: z.array(update).optional(),
  }),
  z.strictObject({
    behavior: z.literal('deny'),
    message: z.string().optional(),
    interrupt: z.boolean().optional(),
  }),
]);
const reply = z.strictObject({
  id: z.string().max(200),
  digest: z.string().max(200),
  code: z.string().max(200),
  answer,
});

/** An answer to one prompt, as it may come from another process: bound to what was shown by id and digest. */
export interface PromptReply {
  readonly id: string;
  readonly digest: string;
  /** The prompt's one-time code, which its list does not tell. */
  readonly code: string;
  readonly answer: PermissionAnswer;
}

/** Reads a reply of foreign origin; undefined when it is none. Keys that are not known make it none. */
export function readReply(value: unknown): PromptReply | undefined {
  const read = reply.safeParse(value);
  return read.success ? (read.data as PromptReply) : undefined; // the schema spells the type out
}
