export { toolSearch, type ToolSearchOutput } from './tool-search.ts';
