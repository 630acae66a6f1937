export {
  createStandardToolgate,
  standardPlugins,
  type StandardOptions,
} from './create-standard-toolgate.ts';
export { openSession, type Session } from './session/open-session.ts';
