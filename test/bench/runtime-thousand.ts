import type { Resource } from '../../schemas/wire/cluster.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pause } from './runtime-processes.ts';
import { type BenchSetup, type cloneSet, costs, measured, PODS, seconds } from './runtime-setup.ts';
import type { Watcher } from './runtime-watch.ts';

/** A kind of which a thousand pods are measured. */
export interface Workload {
  resource: Resource;
  /** In the titles of its rows, after that of the server. */
  suffix: string;
  manifest: typeof cloneSet;
  /** Its pods are those of its children: how fast one follows another says nothing of it. */
  ofChildren?: true;
  /** So many of its pods stay on the old revision. Default: none. */
  retained?: number;
}

/**
 * 1,000 pods of a kind created, updated in place at 20 % and at 100 %, and at rest.
 *
 * @returns the milliseconds of each of these updates, for 1,000 pods
 */
export async function thousand(
  setup: BenchSetup,
  { resource, manifest, ofChildren, retained = 0 }: Workload,
  bare: number,
): Promise<number[]> {
  const { cluster, namespace, watcher, title, report } = setup;
  const name = 'web';
  let image = 'nginx:1.25';
  const updates: number[] = [];
  const moving = PODS - retained;
  const creation = await measured(setup, async () => {
    watcher.expect(image);
    const parts = { name, image, replicas: PODS, maxUnavailable: '20%' };
    await cluster.create(resource, manifest(namespace, parts));
    await watcher.until(PODS);
  });
  report(`${title}: ${PODS} pods created and ready`, `${seconds(creation.ms)} s`, '12 allowed');
  costs(setup, creation, 'creation');
  for (const [maxUnavailable, atLeast] of [
    ['20%', 50],
    ['100%', 80],
  ] as const) {
    image = maxUnavailable === '20%' ? 'nginx:1.26' : 'nginx:1.27';
    const cost = await measured(setup, async () => {
      watcher.expect(image);
      const { spec = {} } = manifest(namespace, { name, image, replicas: PODS, maxUnavailable });
      const body = { spec: spec as never };
      await cluster.patch(resource, { namespace, name }, { type: 'merge', body });
      await watcher.until(moving);
    });
    updates.push((cost.ms * PODS) / moving);
    const rate = Math.round((moving * 1000) / cost.ms);
    const what = `in place at ${maxUnavailable}`;
    const share = Math.round((100 * 1000 * cost.changes) / cost.ms / bare);
    report(
      `${title}: ${moving} pods updated ${what}`,
      `${rate} pods/s`,
      `${atLeast} at least; ${share} % of the bare writes`,
    );
    costs(setup, cost, what);
    if (maxUnavailable === '20%' && ofChildren !== true)
      reaction(setup, what, [freed(watcher, name, PODS / 5)]);
  }
  const rest = await measured(setup, async () => pause(5_000));
  report(`${title}: writes in five seconds of rest`, String(rest.calls.writes), '0 allowed');
  await cluster.delete(resource, { namespace, name });
  return updates;
}

/** Waits until the pods of the last part are deleted. */
export async function emptied({ cluster, namespace }: BenchSetup): Promise<void> {
  for (const begun = performance.now(); performance.now() - begun < 90_000; await pause(200)) {
    const { items } = await cluster.list(resources.Pod, { namespace, limit: 1 });
    if (items.length === 0) return;
  }
}

/** How fast a kind is updated beside a CloneSet, in the same run: the milliseconds of the updates of each. */
export function compare(
  { title, report }: BenchSetup,
  kind: string,
  [ofCloneSet, ofKind]: readonly [number[], number[]],
): void {
  for (const [index, window] of ['20%', '100%'].entries()) {
    const ratio = (ofCloneSet[index] ?? Number.NaN) / (ofKind[index] ?? Number.NaN);
    report(
      `${title}: ${kind}, in place at ${window}`,
      `${ratio.toFixed(2)} x`,
      'the pods/s of the CloneSet; 0.8 at least',
    );
  }
}

/** The time from when a pod became ready, which allows one more update, until that update started. */
export function freed(watcher: Watcher, name: string, window: number): number[] {
  const ready = watcher.ready(name);
  const begun = watcher.begun(name);
  // The first updates, up to the window, did not wait.
  return begun.slice(window).map((at, index) => Math.max(at - (ready[index] ?? at), 0));
}

/** The time from an available pod to the next action. */
export function reaction(
  { title, report }: BenchSetup,
  what: string,
  waits: readonly (readonly number[])[],
): void {
  const sorted = waits.flat().sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(0);
  const row = `${title}: available to next action, ${what}`;
  report(row, `${at(0.5)} ms`, `p99 ${at(0.99)} ms, of ${sorted.length}; 30 and 150 allowed`);
}
