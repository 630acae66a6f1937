export { readSettings, type ReadSettingsOptions } from './read-settings.ts';
