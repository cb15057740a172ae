import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** The tests of the package alone; the lanes of the whole repository play them with settings of their own. */
export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    environment: 'node',
    // Loading the modules anew for each file takes as long as the tests.
    isolate: false,
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    allowOnly: false,
    passWithNoTests: false,
    maxWorkers: availableParallelism(),
    // It ends what hangs, and says nothing about time: a machine may be ten times as slow as another one.
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
