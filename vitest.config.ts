import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**'],
    environment: 'node',
    globalSetup: ['test/e2e/report.ts', 'test/e2e/real-server.ts'],
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    allowOnly: false,
    passWithNoTests: false,
    testTimeout: 30_000,
    // One core fewer is what it takes by itself: on two cores, half of them.
    maxWorkers: availableParallelism(),
    // Another server is one for all of them.
    fileParallelism: !process.env['KRUISE_E2E_KUBECONFIG'] && !process.env['KUBEBUILDER_ASSETS'],
    // Roll-outs of a suite wait for nodes and clocks most of the time.
    maxConcurrency: 12,
  },
});
