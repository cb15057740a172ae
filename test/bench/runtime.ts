import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { HttpCluster } from '../../runtime/api/http-cluster.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pause, programs, startSandbox } from './runtime-processes.ts';
import {
  type Bench,
  cloneSet,
  connect,
  daemonSet,
  RETAINED,
  partitioned,
  PODS,
  type BenchSetup,
  statefulSet,
  unitedDeployment,
} from './runtime-setup.ts';
import { compare, emptied, freed, reaction, thousand, type Workload } from './runtime-thousand.ts';
import { cloneSets, daemonSets, statefulSets, unitedDeployments, watchPods } from './runtime-watch.ts';

const NODES = 20;

/**
 * The cost and the speed of the runtime, with server, nodes and runtime in processes of their own: 1,000 pods created and
 * updated in place; many small rollouts, for the reaction time; and rest. It runs on the sandbox, and on the server of
 * KRUISE_BENCH_KUBECONFIG if that is set, which has the definitions and no nodes.
 */
export async function runtimeBench(options: Bench): Promise<void> {
  const { env } = process;
  const folder = mkdtempSync(join(options.folder, 'runtime-'));
  const sandbox = await startSandbox(folder);
  try {
    await onServer({
      ...options,
      folder,
      title: 'sandbox',
      schedules: false,
      kubeconfig: sandbox.kubeconfig,
    });
  } finally {
    sandbox.stop();
  }
  const given = env['KRUISE_BENCH_KUBECONFIG'];
  if (given !== undefined && given !== '')
    await onServer({ ...options, folder, title: 'server', schedules: true, kubeconfig: given });
}

interface Server extends Bench {
  title: string;
  /** Whether pods get their nodes from outside. */
  schedules: boolean;
  kubeconfig: string;
}

async function onServer({ title, schedules, kubeconfig, kruise, folder, report }: Server): Promise<void> {
  const namespace = `kruise-bench-${process.pid}`;
  const cluster = await connect(kubeconfig);
  const make = programs({ kruise, folder, kubeconfig, profiles: process.env['KRUISE_BENCH_PROFILES'] });
  const running: { stop(): Promise<void> }[] = [];
  await cluster.create(resources.Namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  try {
    running.push(await make.kubelet({ nodes: NODES, prefix: namespace, schedules }));
    const runtime = await make.runtime(namespace);
    running.push(runtime);
    const watcher = await watchPods(cluster, namespace);
    running.push({ stop: async () => watcher.stop() });
    const bare = await bareWrites(cluster, namespace);
    report(`${title}: patches of a status and nothing else`, `${Math.round(bare)} a second`, '16 at a time');
    const setup: BenchSetup = { title, cluster, namespace, runtime, watcher, report };
    const updatesOf = async (workload: Workload): Promise<number[]> => {
      const updates = await thousand({ ...setup, title: `${title}${workload.suffix}` }, workload, bare);
      await emptied(setup);
      return updates;
    };
    const ofCloneSet = await updatesOf({ resource: cloneSets, suffix: '', manifest: cloneSet });
    const ofStatefulSet = await updatesOf({
      resource: statefulSets,
      suffix: ', StatefulSet',
      manifest: statefulSet,
    });
    compare(setup, 'StatefulSet', [ofCloneSet, ofStatefulSet]);
    const ofUnitedDeployment = await updatesOf({
      resource: unitedDeployments,
      suffix: ', UnitedDeployment',
      manifest: unitedDeployment,
      ofChildren: true,
    });
    compare(setup, 'UnitedDeployment of three subsets', [ofCloneSet, ofUnitedDeployment]);
    const ofPartitioned = await updatesOf({
      resource: unitedDeployments,
      suffix: ', UnitedDeployment with partitions',
      manifest: partitioned,
      ofChildren: true,
      retained: RETAINED.a + RETAINED.b + RETAINED.c,
    });
    compare(setup, 'UnitedDeployment with partitions', [ofCloneSet, ofPartitioned]);
    await many(setup);
    await running[0]?.stop();
    running[0] = await make.kubelet({ nodes: PODS, prefix: `${namespace}-fleet`, schedules });
    const ofDaemonSet = await updatesOf({ resource: daemonSets, suffix: ', DaemonSet', manifest: daemonSet });
    compare(setup, 'DaemonSet', [ofCloneSet, ofDaemonSet]);
  } finally {
    // The runtime ends first: it would replace deleted pods.
    for (const program of running.splice(1).reverse()) await program.stop();
    await remove(cluster, namespace);
    await running[0]?.stop();
    cluster.close();
  }
}

/** Deletes the namespace, and waits until it is gone. */
async function remove(cluster: HttpCluster, name: string): Promise<void> {
  await cluster.delete(resources.Namespace, { name });
  for (const begun = performance.now(); performance.now() - begun < 90_000; await pause(200)) {
    try {
      await cluster.get(resources.Namespace, { name });
    } catch (error) {
      if (error instanceof ApiError && error.status.code === 404) return;
      throw error;
    }
  }
}

/**
 * How many writes a second the server executes for a client that does nothing else: an upper bound of the pods per second,
 * times the writes per pod.
 */
async function bareWrites(cluster: HttpCluster, namespace: string): Promise<number> {
  const names = Array.from({ length: 16 }, (_, index) => `bare-${index}`);
  const spec = { containers: [{ name: 'main', image: 'nginx:1.25' }], schedulingGates: [{ name: 'a/b' }] };
  for (const name of names)
    await cluster.create(resources.Pod, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec,
    });
  const forMs = async (ms: number): Promise<number> => {
    let writes = 0;
    const begun = performance.now();
    await Promise.all(
      names.map(async (name) => {
        for (; performance.now() - begun < ms; writes += 1) {
          const status = { conditions: [{ type: 'bench/bare', status: String(writes) }] };
          const patch = { type: 'strategic', body: { status } } as const;
          await cluster.patch(resources.Pod, { namespace, name }, patch, { subresource: 'status' });
        }
      }),
    );
    return (writes * 1000) / (performance.now() - begun);
  };
  await forMs(1_000);
  const rate = await forMs(3_000);
  for (const name of names) await cluster.delete(resources.Pod, { namespace, name });
  return rate;
}

/** Many CloneSets of a few pods, one pod at a time: the time until the next update starts on an idle machine. */
async function many(setup: BenchSetup): Promise<void> {
  const { cluster, namespace, watcher } = setup;
  const names = Array.from({ length: 12 }, (_, index) => `small-${index}`);
  const replicas = 6;
  const parts = (name: string, image: string) => ({ name, image, replicas, maxUnavailable: 1 });
  watcher.expect('nginx:1.26');
  for (const name of names) await cluster.create(cloneSets, cloneSet(namespace, parts(name, 'nginx:1.26')));
  await watcher.until(names.length * replicas);
  await pause(1_000);
  watcher.expect('nginx:1.27');
  for (const name of names) {
    const { spec = {} } = cloneSet(namespace, parts(name, 'nginx:1.27'));
    const body = { spec: spec as never };
    await cluster.patch(cloneSets, { namespace, name }, { type: 'merge', body });
  }
  await watcher.until(names.length * replicas);
  const waits = names.map((name) => freed(watcher, name, 1));
  reaction(setup, `${names.length} x ${replicas} pods, one at a time`, waits);
  for (const name of names) await cluster.delete(cloneSets, { namespace, name });
  await emptied(setup);
}
