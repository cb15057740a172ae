import { cloneSets, watchPods } from './runtime-watch.ts';
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
  seconds,
} from './runtime-setup.ts';

const CROWD = 10_000;

/** Many pods in the caches of a runtime that has just started, at rest and while a tenth of them is updated. */
export async function crowdBench({ kruise, folder, report }: Bench): Promise<void> {
  const namespace = 'shop';
  const sandbox = await startSandbox(folder, { pods: CROWD, each: PODS });
  const { kubeconfig } = sandbox;
  const cluster = await connect(kubeconfig);
  const profiles = process.env['KRUISE_BENCH_PROFILES'];
  const begun = performance.now();
  const runtime = await programs({ kruise, folder, kubeconfig, profiles }).runtime(namespace);
  const ms = performance.now() - begun;
  const title = 'sandbox';
  const words = (cost: Pick<Cost, 'cpuSeconds' | 'stallMs' | 'stalls'>): string =>
    `120 allowed; CPU ${cost.cpuSeconds.toFixed(1)} s; longest stall ${cost.stallMs.toFixed(0)} ms, ${cost.stalls} over 30`;
  try {
    report(
      `${title}: ${CROWD} pods in the caches of a new runtime`,
      `${seconds(ms)} s`,
      'from its start to ready',
    );
    const watcher = await watchPods(cluster, namespace);
    const setup: BenchSetup = { title, cluster, namespace, runtime, watcher, report };
    await pause(3_000);
    const { peakKiB, residentKiB, ...start } = await runtime.read();
    report(
      `${title}: peak memory with ${CROWD} pods, start`,
      `${mib(peakKiB)} MiB`,
      `${words(start)}; ${start.loadMs.toFixed(0)} ms of loading the program before`,
    );
    const rest = await measured(setup, async () => pause(5_000));
    report(
      `${title}: resident with ${CROWD} pods, then writes at rest`,
      `${mib(residentKiB)} MiB`,
      `${rest.calls.writes} writes, 0 allowed`,
    );
    const update = await measured(setup, async () => {
      const image = 'nginx:1.26';
      watcher.expect(image);
      const name = 'web-0';
      const { spec = {} } = cloneSet(namespace, {
        name,
        image,
        env: '"info"',
        replicas: PODS,
        maxUnavailable: '20%',
      });
      const body = { spec: spec as never };
      await cluster.patch(cloneSets, { namespace, name }, { type: 'merge', body });
      await watcher.until(PODS);
    });
    watcher.stop();
    report(
      `${title}: peak memory with ${CROWD} pods, ${PODS} updated`,
      `${mib(update.peakKiB)} MiB`,
      words(update),
    );
  } finally {
    await runtime.stop();
    cluster.close();
    sandbox.stop();
  }
}
