import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { posix } from 'node:path';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { Sequence } from './test/sequence.ts';

const root = new URL('.', import.meta.url);

const files = readdirSync(new URL('test/', root), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.test.ts'))
  .map((path) => `test/${path.replaceAll('\\', '/')}`)
  .map((path) => ({ path, text: readFileSync(new URL(path, root), 'utf8') }));

const mocking = files
  .map(({ path, text }) => ({ path, mocks: text.match(/^vi\.mock\(.*/gm) ?? [] }))
  .filter(({ mocks }) => mocks.length > 0);

/** Files that ask the engine for the shapes of objects: in a process that has seen thousands of keys, two alike have one each. */
const ofShapes = files.filter(({ text }) => text.includes('%HaveSameMap')).map(({ path }) => path);

/** The file that a test file registers in place of the kinds; undefined: it replaces another module, or in another way. */
function registeredBy(path: string, mock: string): string | undefined {
  const file = /registered\.ts', \(\) => import\('([^']*)'\)/.exec(mock)?.[1];
  return file && posix.join(posix.dirname(path), file);
}

/** Test files by the kinds they register, where they replace nothing else. */
const byRegistered = new Map<string, string[]>();
for (const { path, mocks } of mocking) {
  const [file, ...more] = new Set(mocks.map((mock) => registeredBy(path, mock)));
  if (file !== undefined && more.length === 0)
    byRegistered.set(file, [...(byRegistered.get(file) ?? []), path]);
}

/** Groups of files that can share what they load. Two files take no longer in a process each. */
const sharing = [...byRegistered].filter(([, paths]) => paths.length > 2);
const inGroups = sharing.flatMap(([, paths]) => paths);

/** Files that replace a module by one of their own, so that nobody else may have what they load, and those that need a new process. */
const alone = [...mocking.map(({ path }) => path).filter((path) => !inGroups.includes(path)), ...ofShapes];

/** Costly files that this run leaves to the full lane, one a line: `.ci/test` draws them. */
const leftOut = (process.env['KRUISE_TEST_LEFT_OUT'] ?? '').split('\n').filter(Boolean);

const settings: TestProjectInlineConfiguration['test'] = {
  environment: 'node',
  restoreMocks: true,
  unstubGlobals: true,
  unstubEnvs: true,
  // It ends what hangs, and says nothing about time: a machine may be ten times as slow as another one.
  testTimeout: 120_000,
  // A server and its worlds take as long to begin as a test.
  hookTimeout: 120_000,
  // Roll-outs of a suite wait for nodes and clocks most of the time. More of them at once keep each other from their deadlines.
  maxConcurrency: 6,
};

/** A package of the repository is taken from its sources, as the paths in tsconfig.json say. */
const resolve = { tsconfigPaths: true };

export default defineConfig({
  test: {
    globalSetup: ['test/lane-seed.ts', 'test/e2e/report.ts', 'test/e2e/real-server.ts'],
    // The lanes run one after the other on the same files: what one has transformed, the others read.
    experimental: { fsModuleCache: true },
    sequence: { sequencer: Sequence },
    allowOnly: false,
    passWithNoTests: false,
    // One core fewer is what it takes by itself: on two cores, half of them. The files of the full lane wait for processes and
    // clocks part of their time: one more of them at a time leaves no core idle.
    maxWorkers: availableParallelism() + (process.env['KRUISE_TEST'] === undefined ? 0 : 1),
    // Another server is one for all of them.
    fileParallelism: !process.env['KRUISE_E2E_KUBECONFIG'] && !process.env['KUBEBUILDER_ASSETS'],
    projects: [
      {
        resolve,
        test: {
          ...settings,
          name: 'shared',
          include: ['test/**/*.test.ts', 'sandbox/test/**/*.test.ts'],
          exclude: ['test/bench/**', ...inGroups, ...alone, ...leftOut],
          // Loading the modules anew for each file takes as long as the tests.
          isolate: false,
        },
      },
      ...sharing.map(([file, include]) => ({
        resolve,
        test: { ...settings, name: `kinds of ${file}`, include, exclude: leftOut, isolate: false },
      })),
      { resolve, test: { ...settings, name: 'alone', include: alone, exclude: leftOut, isolate: true } },
    ],
  },
});
