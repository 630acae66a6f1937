import { permissionModes } from '@toolgate/core';

/** Keys of `permissions` that are read. */
export const permissionKeys = [
  'allow',
  'ask',
  'deny',
  'defaultMode',
  'additionalDirectories',
  'disableBypassPermissionsMode',
  'disableAutoMode',
] as const;

/** Keys of `permissions` that others read and this package does not yet. */
export const unsupportedPermissionKeys: readonly string[] = [
  'blockReadsOutsideWorkingDirectories',
  'blockWritesOutsideWorkingDirectories',
  'denyInsteadOfPrompting',
  'blockReadsExemptPaths',
  'workingDirectoriesAsGiven',
  'workingDirectoriesExclude',
];

/** What `defaultMode` may say; `manual` is another word for `default`. */
export const modeNames: readonly string[] = [...permissionModes, 'manual'];

/** The hook events of the public protocol. */
export const hookEvents: readonly string[] = [
  'PreToolUse',
  'PermissionRequest',
  'PermissionDenied',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'Setup',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'Notification',
  'TaskCreated',
  'TaskCompleted',
  'TeammateIdle',
  'ConfigChange',
  'InstructionsLoaded',
  'CwdChanged',
  'DirectoryAdded',
  'FileChanged',
  'WorktreeCreate',
  'WorktreeRemove',
  'Elicitation',
  'ElicitationResult',
  'MessageDisplay',
  'PreModelSwitch',
  'PostModelSwitch',
  'PreSkillShellCommand',
];

/** A key that people use for comments and schema references. */
export const isCommentKey = (key: string): boolean =>
  key !== '__proto__' && /^(\/\/|#|_|\$schema$)/.test(key);
