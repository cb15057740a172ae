import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { median } from './median.ts';
import { pause, programs, startSandbox } from './runtime-processes.ts';
import { type Bench, cloneSet, connect, type Cost, measured, PODS } from './runtime-setup.ts';
import { cloneSets, watchPods } from './runtime-watch.ts';

const NAMESPACE = 'shop';
const NAME = 'web';
const NODES = 10;

/** Three subsets, of which the first two are filled. Each node is one of each, so that only the choice and what is added cost. */
const spread: KubeObject = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'WorkloadSpread',
  metadata: { name: NAME, namespace: NAMESPACE },
  spec: {
    targetRef: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: NAME },
    subsets: [{ maxReplicas: 300 }, { maxReplicas: 300 }, {}].map((cap, index) => ({
      name: `part-${index}`,
      ...cap,
      requiredNodeSelector: { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'Exists' }] },
      patch: { metadata: { labels: { part: String(index) } } },
    })),
  },
};

/** One run of either kind varies by a tenth, so that they take turns. */
const TURNS = 5;

/** What the choice of a subset costs: 1,000 pods of a CloneSet are created, with and without a WorkloadSpread of three subsets. */
export async function spreadsBench(bench: Bench): Promise<void> {
  const without: Cost[] = [];
  const under: Cost[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    without.push(await created(bench, false));
    under.push(await created(bench, true));
  }
  const perPod = ({ cpuSeconds }: Cost): number => (1_000 * cpuSeconds) / PODS;
  const others = ({ calls }: Cost): number => calls.writes - calls.podWrites - calls.events;
  const ratio = (of: (cost: Cost) => number): string =>
    (median(under.map(of)) / median(without.map(of))).toFixed(2);
  bench.report(
    `sandbox: CPU of the runtime a pod, ${PODS} in three subsets`,
    `${median(under.map(perPod)).toFixed(2)} ms`,
    `${ratio(perPod)} x without, 1.10 allowed; medians of ${TURNS} in turns; ${median(under.map(others))} other writes, ${median(without.map(others))} without; ${ratio(({ ms }) => ms)} x the time`,
  );
}

async function created({ kruise, folder, report }: Bench, isSpread: boolean): Promise<Cost> {
  const sandbox = await startSandbox(folder);
  const { kubeconfig } = sandbox;
  const cluster = await connect(kubeconfig);
  const profiles = process.env['KRUISE_BENCH_PROFILES'];
  try {
    await cluster.create(resources.Namespace, {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: NAMESPACE },
    });
    if (isSpread) await cluster.create(resources.WorkloadSpread, spread);
    const make = programs({ kruise, folder, kubeconfig, profiles });
    const kubelet = await make.kubelet({ nodes: NODES, prefix: NAMESPACE, schedules: false });
    const runtime = await make.runtime(NAMESPACE);
    const watcher = await watchPods(cluster, NAMESPACE);
    const setup = { title: 'sandbox', cluster, namespace: NAMESPACE, runtime, watcher, report };
    // Until the WorkloadSpread is observed.
    await pause(5_000);
    const image = 'nginx:1.25';
    const cost = await measured(setup, async () => {
      watcher.expect(image);
      await cluster.create(
        cloneSets,
        cloneSet(NAMESPACE, { name: NAME, image, replicas: PODS, maxUnavailable: '20%' }),
      );
      await watcher.until(PODS);
    });
    watcher.stop();
    await runtime.stop();
    await kubelet.stop();
    return cost;
  } finally {
    cluster.close();
    sandbox.stop();
  }
}
