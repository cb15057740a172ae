import { drawn } from './random.ts';

/**
 * Test files that begin processes, servers or whole clusters for each of their cases, or plan a history of commits in each:
 * together they take more than two thirds of all time. `npm test` plays some of them, others for each commit; the full lane plays
 * them all. Naming a file always plays it.
 */
export const costly: readonly string[] = [
  'sandbox/test/state.test.ts',
  'test/browser/',
  'test/cli/git/',
  'test/cli/kubelet/',
  'test/cli/machine/',
  'test/cli/package.test.ts',
  'test/cli/plan/many-roots.test.ts',
  'test/cli/plan/roots.test.ts',
  'test/cli/rollout/rollout.test.ts',
  'test/cli/sandbox/',
  'test/compiler/committed-plan.test.ts',
  'test/compiler/continuation.test.ts',
  'test/compiler/earlier-images.test.ts',
  'test/compiler/going-back.test.ts',
  'test/compiler/review-keys.test.ts',
  'test/demo/',
  'test/deploy/argo-sync.test.ts',
  'test/deploy/budget-protection.test.ts',
  'test/deploy/chart.test.ts',
  'test/deploy/ci.test.ts',
  'test/deploy/deletion-protection.test.ts',
  'test/deploy/helm-release.test.ts',
  'test/deploy/install.test.ts',
  'test/deploy/permissions.test.ts',
  'test/deploy/policies.test.ts',
  'test/deploy/process.test.ts',
  'test/deploy/rights.test.ts',
  'test/docs/advice.test.ts',
  'test/docs/commands.test.ts',
  'test/e2e/',
  'test/examples/determinism.test.ts',
  'test/fixture-kind/',
  'test/runtime/adopt-process.test.ts',
  'test/runtime/evictions.test.ts',
  'test/runtime/foreign-launch',
  'test/runtime/hot-upgrade.test.ts',
  'test/runtime/notify/webhook.test.ts',
  'test/runtime/process',
  'test/runtime/refused-pods.test.ts',
  'test/runtime/regressions-',
  'test/runtime/shadow-process.test.ts',
  'test/runtime/sidecar-',
  'test/runtime/two-updaters',
  'test/runtime/unavailable-budget.test.ts',
  'test/runtime/united-deployment.test.ts',
  'test/security/caches.test.ts',
  'test/security/control-annotations.test.ts',
  'test/security/hidden-workloads.test.ts',
  'test/security/load-',
  'test/security/policies.test.ts',
  'test/security/probe-port.test.ts',
  'test/security/replacements.test.ts',
  'test/security/schedule-owner.test.ts',
  'test/security/sidecar-',
  'test/security/slots.test.ts',
  'test/security/webhook-',
  'test/semantics/advancedcronjob/course.test.ts',
  'test/semantics/daemonset/nodes-come-and-go.test.ts',
];

/** Where the tests of the sandbox are, a package with a lane of its own. */
export const PACKAGE_TESTS = 'sandbox/test/';

/** What the tests of the sandbox depend on: the package, and the schemas that it imports. */
const ofPackage = /^(sandbox|schemas\/(wire|pods|generated))\//;

/**
 * Those of the test files that `npm test` leaves to the lane of the sandbox: all of its tests, unless something they depend on
 * changed. `changed`: the files that changed, undefined where that is not known.
 */
export function leftToPackage(files: readonly string[], changed: readonly string[] | undefined): string[] {
  if (changed === undefined || changed.some((file) => ofPackage.test(file))) return [];
  return files.filter((file) => file.startsWith(PACKAGE_TESTS));
}

/** Those of the test files that are costly. */
export function costlyOf(files: readonly string[]): string[] {
  return files.filter((file) => costly.some((start) => file.startsWith(start)));
}

/** Rollouts that kubectl plays: they wait for most of their time, and each takes up to half a minute. */
export const END_TO_END = 'test/e2e/';

/** The costly test files that `npm test` leaves to the full lane: all but an eighth, and all but two that play rollouts end to end. */
export function leftOut(files: readonly string[], seed: number): string[] {
  const all = costlyOf(files);
  const endToEnd = all.filter((file) => file.startsWith(END_TO_END));
  const others = all.filter((file) => !file.startsWith(END_TO_END));
  const played = new Set([
    ...drawn(seed, 'end to end', endToEnd, 2),
    ...drawn(seed, 'files', others, Math.ceil(others.length / 8)),
  ]);
  return all.filter((file) => !played.has(file));
}
