import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pause, programs, startSandbox } from './runtime-processes.ts';
import { type Bench, cloneSet, connect, type Cost, measured, mib, type BenchSetup } from './runtime-setup.ts';
import { cloneSets, watchPods } from './runtime-watch.ts';

const CROWD = 10_000;
/** Pods of each CloneSet, which has a budget of its own. */
const EACH = 100;
/** CloneSets that are updated. */
const UPDATED = 10;
const NAMESPACE = 'shop';

/**
 * What 100 budgets over 10,000 pods cost: 1,000 pods of ten CloneSets are updated in place, with and without. A budget lets as many
 * pods be unavailable as the strategy does, so that both take the same way.
 */
export async function budgetsBench(bench: Bench): Promise<void> {
  const without = await updated(bench, false);
  const under = await updated(bench, true);
  const pods = EACH * UPDATED;
  const perPod = ({ cpuSeconds }: Cost): number => (1_000 * cpuSeconds) / pods;
  const others = ({ calls }: Cost): number => calls.writes - calls.podWrites - calls.events;
  bench.report(
    `sandbox: CPU of the runtime a pod, ${CROWD / EACH} budgets over ${CROWD}`,
    `${perPod(under).toFixed(2)} ms`,
    `${(perPod(under) / perPod(without)).toFixed(2)} x without budgets, 1.10 allowed; ${others(under)} other writes, ${others(without)} without; ${(under.ms / without.ms).toFixed(2)} x the time`,
  );
  bench.report(
    'sandbox: peak memory meanwhile',
    `${mib(under.peakKiB)} MiB`,
    `${mib(under.peakKiB - without.peakKiB)} MiB more than without, 15 allowed`,
  );
}

const budget = (app: string): KubeObject => ({
  apiVersion: 'policy.kruise.io/v1beta1',
  kind: 'PodUnavailableBudget',
  metadata: { name: app, namespace: NAMESPACE },
  spec: { selector: { matchLabels: { app } }, maxUnavailable: '20%' },
});

/** The cost of the update, of a runtime that has linked every pod to its budget before. */
async function updated({ kruise, folder, report }: Bench, hasBudgets: boolean): Promise<Cost> {
  const sandbox = await startSandbox(folder, { pods: CROWD, each: EACH });
  const { kubeconfig } = sandbox;
  const cluster = await connect(kubeconfig);
  const profiles = process.env['KRUISE_BENCH_PROFILES'];
  const names = Array.from({ length: CROWD / EACH }, (_, index) => `web-${index}`);
  if (hasBudgets)
    for (const name of names) await cluster.create(resources.PodUnavailableBudget, budget(name));
  const begin = async (): Promise<BenchSetup> => {
    const runtime = await programs({ kruise, folder, kubeconfig, profiles }).runtime(NAMESPACE);
    const watcher = await watchPods(cluster, NAMESPACE);
    const setup = { title: 'sandbox', cluster, namespace: NAMESPACE, runtime, watcher, report };
    let atRest = await measured(setup, async () => pause(5_000));
    while (atRest.calls.writes > 0) atRest = await measured(setup, async () => pause(5_000));
    return setup;
  };
  const end = async ({ watcher, runtime }: BenchSetup): Promise<void> => {
    watcher.stop();
    await runtime.stop();
  };
  try {
    // The peak is of the whole life of a process, and an update links no pods: another process has done that.
    await end(await begin());
    const setup = await begin();
    const cost = await measured(setup, async () => {
      const image = 'nginx:1.26';
      setup.watcher.expect(image);
      for (const name of names.slice(0, UPDATED)) {
        const parts = { name, image, env: '"info"', replicas: EACH, maxUnavailable: '20%' };
        const { spec = {} } = cloneSet(NAMESPACE, parts);
        const body = { spec: spec as never };
        await cluster.patch(cloneSets, { namespace: NAMESPACE, name }, { type: 'merge', body });
      }
      await setup.watcher.until(EACH * UPDATED);
    });
    await end(setup);
    return cost;
  } finally {
    cluster.close();
    sandbox.stop();
  }
}
