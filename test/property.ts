import * as fc from 'fast-check';
import { seed } from './seed.ts';

/**
 * fast-check, whose properties draw by the seed of the run, as the samples do: with that seed a run that has failed fails again.
 * `test/house/properties.test.ts` keeps tests from using it any other way.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed });

export * from 'fast-check';
