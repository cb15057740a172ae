import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pause, programs, startSandbox } from './runtime-processes.ts';
import { type Bench, connect, type Cost, measured, mib, type BenchSetup } from './runtime-setup.ts';
import { watchPods } from './runtime-watch.ts';

const NAMESPACES = 1_000;
const OBJECTS = 10;
const COPIES = NAMESPACES * OBJECTS;
/** Some bytes for each copy, as a configuration has. */
const TEXT = 'x'.repeat(1_000);

/**
 * What the copies of ten ConfigMaps in 1,000 namespaces cost: until they are there, until they have changed, and at rest. The memory
 * is compared with that of a runtime in the same cluster without them.
 */
export async function copiesBench({ kruise, folder, report }: Bench): Promise<void> {
  const sandbox = await startSandbox(folder);
  const { kubeconfig } = sandbox;
  const cluster = await connect(kubeconfig);
  try {
    for (let index = 0; index < NAMESPACES; index += 1)
      await cluster.create(resources.Namespace, namespace(index));
    const runtime = await programs({ kruise, folder, kubeconfig, profiles: undefined }).runtime();
    const watcher = await watchPods(cluster, 'default');
    const setup: BenchSetup = { title: 'sandbox', cluster, namespace: 'default', runtime, watcher, report };
    const before = await measured(setup, async () => pause(5_000));
    const made = await measured(setup, async () => {
      for (let index = 0; index < OBJECTS; index += 1)
        await cluster.create(resources.ResourceDistribution, distribution(index));
      await settled(setup);
    });
    const changed = await measured(setup, async () => {
      for (let index = 0; index < OBJECTS; index += 1) {
        const { spec } = distribution(index, 'blue');
        const body = { spec: spec as never };
        await cluster.patch(
          resources.ResourceDistribution,
          { name: `shared-${index}` },
          { type: 'merge', body },
        );
      }
      await settled(setup);
    });
    const atRest = await measured(setup, async () => pause(30_000));
    const perCopy = ({ calls }: Cost): string => (calls.writes / COPIES).toFixed(3);
    const of = `${OBJECTS} objects, ${NAMESPACES} namespaces`;
    report(`sandbox: writes a copy until it is there, ${of}`, perCopy(made), '1.05 allowed');
    report(`sandbox: writes a copy until it has changed`, perCopy(changed), '1.05 allowed');
    report(`sandbox: writes in 30 s of rest`, String(atRest.calls.writes), '0 allowed');
    report(
      'sandbox: peak memory with them',
      `${mib(atRest.peakKiB)} MiB`,
      `${mib(atRest.peakKiB - before.peakKiB)} MiB more than before, 30 allowed`,
    );
    watcher.stop();
    await runtime.stop();
  } finally {
    cluster.close();
    sandbox.stop();
  }

  /** Waits until every copy is as it should be, by the status of the objects. */
  async function settled({ cluster: server }: BenchSetup): Promise<void> {
    for (;;) {
      const { items } = await server.list(resources.ResourceDistribution, {});
      const isDone = ({ metadata, status = {} }: KubeObject): boolean => {
        const { observedGeneration, succeeded } = status as {
          observedGeneration?: number;
          succeeded?: number;
        };
        return observedGeneration === metadata.generation && succeeded === NAMESPACES;
      };
      if (items.every(isDone)) return;
      await pause(500);
    }
  }
}

function namespace(index: number): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: `team-${index}`, labels: { copied: 'true' } },
  };
}

function distribution(index: number, color = 'red'): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ResourceDistribution',
    metadata: { name: `shared-${index}` },
    spec: {
      resource: {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: `settings-${index}` },
        data: { color, text: TEXT },
      },
      targets: { namespaceSelector: { matchLabels: { copied: 'true' } } },
    },
  };
}
