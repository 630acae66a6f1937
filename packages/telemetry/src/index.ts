export { classifyToolError } from './classify-tool-error.ts';
