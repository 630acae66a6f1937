import {
  permissionModes,
  type AnyObject,
  type Behavior,
  type PermissionMode,
} from '@toolgate/core';
import { z } from 'zod';

/** One expectation of a policy: what becomes of a call. */
export interface PolicyTest {
  readonly name: string;
  readonly tool: string;
  readonly input: AnyObject;
  /** The folder the call is made in, from the project's own. Default: the project's. */
  readonly cwd?: string | undefined;
  /** Default: what the policy says. */
  readonly mode?: PermissionMode | undefined;
  readonly expect: Behavior;
  /** The rule that must be the one that decides, as it is written. */
  readonly rule?: string | undefined;
}

/** A file of policy tests, in YAML or JSON. */
export const policyTestsSchema: z.ZodType<readonly PolicyTest[]> = z.array(
  z.strictObject({
    name: z.string().min(1).describe('What is expected, for people'),
    tool: z.string().min(1).describe('The tool, as the model calls it'),
    input: z.record(z.string(), z.json()).default({}).describe('The input of the call'),
    cwd: z.string().min(1).optional().describe('The folder of the call, from the project’s own'),
    mode: z.enum(permissionModes).optional().describe('The permission mode'),
    expect: z.enum(['allow', 'ask', 'deny']).describe('What becomes of the call'),
    rule: z.string().min(1).optional().describe('The rule that must decide, as it is written'),
  }),
);

/** The JSON Schema (draft 2020-12) of a file of policy tests, made of {@link policyTestsSchema}. */
export const policyTestsJSONSchema = (): Readonly<Record<string, unknown>> => ({
  ...z.toJSONSchema(policyTestsSchema, { io: 'input' }),
});
