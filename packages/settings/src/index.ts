export { commandRules, type CommandOptions, type CommandRules } from './command-rules.ts';
export { managedFolderOf } from './find-files.ts';
export type { LiveSettings } from './live-settings.ts';
export { readSettings, type ReadSettingsOptions } from './read-settings.ts';
export { splitRules } from './split-rules.ts';
export { distrustFolder, isTrusted, trustedFolders, trustFolder } from './trust.ts';
export type { Waiting } from './what-waits.ts';
