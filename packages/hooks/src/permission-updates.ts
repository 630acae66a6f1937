import { permissionModes, updateDestinations, type PermissionUpdate } from '@toolgate/core';
import { z } from 'zod';

const destination = z.enum(updateDestinations as [string, ...string[]]); // never empty
const ruleValue = z.object({ toolName: z.string(), ruleContent: z.string().optional() });

/** The entries of `updatedPermissions`; keys that are not known are dropped. Core decides what a hook may have. */
export const permissionUpdates = z.array(
  z.discriminatedUnion('type', [
    z.object({
      type: z.enum(['addRules', 'replaceRules', 'removeRules']),
      rules: z.array(ruleValue),
      behavior: z.enum(['allow', 'ask', 'deny']),
      destination: destination.default('session'),
    }),
    z.object({
      type: z.literal('setMode'),
      mode: z.enum(permissionModes as [string, ...string[]]),
      destination: destination.default('session'),
    }),
    z.object({
      type: z.enum(['addDirectories', 'removeDirectories']),
      directories: z.array(z.string()),
      destination: destination.default('session'),
    }),
  ]),
) as unknown as z.ZodType<readonly PermissionUpdate[]>; // the schema spells the type out
