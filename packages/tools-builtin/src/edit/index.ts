export { edit, type EditOutput } from './edit.ts';
