import { pause, programs, startSandbox } from './runtime-processes.ts';
import {
  type Bench,
  cloneSet,
  connect,
  type Cost,
  measured,
  mib,
  PODS,
  type BenchSetup,
} from './runtime-setup.ts';
import { cloneSets, watchPods } from './runtime-watch.ts';

const SIZES = [1_000, 5_000, 10_000];

/**
 * The cost of a pod by the size of its CloneSet: 1,000 pods of 1,000, of 5,000 and of 10,000 are updated in place, 200 at a
 * time. The difference between the sizes is the cost of the pods at rest in every reconcile.
 */
export async function sizesBench(options: Bench): Promise<void> {
  const { env } = process;
  const sizes = env['KRUISE_BENCH_SIZES']?.split(',').map(Number) ?? SIZES;
  let first: number | undefined;
  for (const size of sizes) {
    const cost = await updateOf(size, options);
    const perPod = (1000 * cost.cpuSeconds) / PODS;
    first ??= perPod;
    const { calls } = cost;
    options.report(
      `sandbox: CPU of the runtime a pod, ${PODS} of ${size} updated`,
      `${perPod.toFixed(2)} ms`,
      `${(perPod / first).toFixed(2)} x that of ${sizes[0]}, 1.3 allowed; ${(calls.podWrites / PODS).toFixed(2)} pod writes, ${calls.writes - calls.podWrites - calls.events} others, ${calls.reconciles} reconciles; ${(cost.ms / 1000).toFixed(1)} s`,
    );
    options.report(
      `sandbox: peak memory while ${PODS} of ${size} are updated`,
      `${mib(cost.peakKiB)} MiB`,
      `120 allowed at ${SIZES.at(-1)}; longest stall ${cost.stallMs.toFixed(0)} ms, ${cost.stalls} over 30`,
    );
  }
}

/** The cost of 1,000 pods of a CloneSet of this size that are updated in place, 200 at a time. */
export async function updateOf(size: number, { kruise, folder, report }: Bench): Promise<Cost> {
  const namespace = 'shop';
  const sandbox = await startSandbox(folder, { pods: size, each: size });
  const { kubeconfig } = sandbox;
  const cluster = await connect(kubeconfig);
  const profiles = process.env['KRUISE_BENCH_PROFILES'];
  const runtime = await programs({ kruise, folder, kubeconfig, profiles }).runtime(namespace);
  try {
    const watcher = await watchPods(cluster, namespace);
    const setup: BenchSetup = { title: 'sandbox', cluster, namespace, runtime, watcher, report };
    await pause(2_000);
    const cost = await measured(setup, async () => {
      const image = 'nginx:1.26';
      watcher.expect(image);
      const name = 'web-0';
      const parts = {
        name,
        image,
        env: '"info"',
        replicas: size,
        maxUnavailable: 200,
        partition: size - PODS,
      };
      const { spec = {} } = cloneSet(namespace, parts);
      await cluster.patch(cloneSets, { namespace, name }, { type: 'merge', body: { spec: spec as never } });
      await watcher.until(PODS);
    });
    watcher.stop();
    return cost;
  } finally {
    await runtime.stop();
    cluster.close();
    sandbox.stop();
  }
}
