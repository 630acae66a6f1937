export {
  createStandardToolgate,
  standardPlugins,
  type StandardOptions,
} from './create-standard-toolgate.ts';
