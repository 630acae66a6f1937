export {
  createWebFetch,
  webFetch,
  type WebFetchOptions,
  type WebFetchOutput,
} from './web-fetch.ts';
