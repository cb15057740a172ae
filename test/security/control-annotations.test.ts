import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LAUNCH_PRIORITY_ANNOTATION } from '../../semantics/pod/launch-priority.ts';
import {
  DELETION_COST_ANNOTATION,
  GRACE_ANNOTATION,
  IN_PLACE_READY,
  IN_PLACE_STATE_ANNOTATION,
  KRUISE_POD_READY,
  LIFECYCLE_LABEL,
  LIFECYCLE_TIME_ANNOTATION,
  OLD_GRACE_ANNOTATION,
  OLD_STATE_ANNOTATION,
  REVISION_LABEL,
  SHORT_HASH_LABEL,
  SPECIFIED_DELETE_LABEL,
} from '../../semantics/pod/types.ts';
import { INSTANCE_ID_LABEL } from '../../semantics/cloneset/claim-naming.ts';
import { DELETED_WITH_ANNOTATION } from '../../semantics/claims/marks.ts';
import { PRE_DOWNLOAD_ANNOTATION } from '../../semantics/workload/pre-download.ts';
import { PARTITION_ROLLBACK_ANNOTATION } from '../../semantics/cloneset/normalize.ts';
import { POD_NUMBER_ANNOTATION, PODS_CREATED_ANNOTATION } from '../../semantics/cloneset/counter.ts';
import {
  CLAIM_TEMPLATES_ANNOTATION,
  COMPLETE_ANNOTATION,
  RETAINED_ANNOTATION,
} from '../../semantics/revision/revision.ts';
import {
  ACCEPTED_LABEL,
  isSnapshot,
  PROGRESS_ANNOTATION,
  snapshotName,
} from '../../semantics/plan/memory.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { POLICY_ANNOTATION } from '../../semantics/policy.ts';
import { createPlanReader } from '../../runtime/plan/read.ts';
import { makeClass } from '../fixtures/storage-class.ts';
import { cloneSet, createTestCluster, planOf, type TestCluster } from '../runtime/stage.ts';
import { randomOf } from '../random.ts';
import { type Observed, reconcile, valuesOf, withText } from './reconcile.ts';

const IN_NAMESPACE = { namespace: 'shop' };
const RUNS = Number(process.env['KRUISE_FUZZ_RUNS'] ?? 1500);
const SEED = Number(process.env['KRUISE_FUZZ_SEED'] ?? 12);

const STATE = JSON.stringify({
  revision: 'web-77b5',
  updateTimestamp: '2026-01-01T00:02:00Z',
  lastContainerStatuses: { main: { imageID: 'a' } },
  updateImages: true,
  updateEnvFromMetadata: true,
  restartCounts: { main: 0 },
  unsettled: { main: 1 },
  containerBatchesRecord: [{ timestamp: '2026-01-01T00:02:00Z', containers: ['main'] }],
  nextContainerImages: { main: 'web:3' },
  nextContainerRefMetadata: { main: { labels: { a: 'b' }, annotations: { c: null } } },
  nextContainerResources: { main: {} },
  preCheckBeforeNext: { containersRequiredReady: ['main'] },
});
const patch = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
const graceWith = (metaDataPatch: string): string =>
  JSON.stringify({
    revision: 'web-77b5',
    containerImages: { main: 'web:3' },
    containerRefMetadata: { main: { labels: { a: 'b' } } },
    containerResources: {},
    metaDataPatch,
    graceSeconds: 5,
  });
const GRACES = [
  graceWith(patch({ metadata: { labels: { a: 'b' } } })),
  graceWith(patch({ metadata: 5 })),
  graceWith(patch([null])),
  graceWith('%%%'),
];

/** Every label and annotation that the runtime reads, with values to begin from. */
const READ: Record<
  'pods' | 'revisions' | 'claims' | 'snapshots' | 'target',
  [where: 'labels' | 'annotations', key: string, seeds: string[]][]
> = {
  pods: [
    ['annotations', IN_PLACE_STATE_ANNOTATION, [STATE]],
    ['annotations', OLD_STATE_ANNOTATION, [STATE]],
    ['annotations', GRACE_ANNOTATION, GRACES],
    ['annotations', OLD_GRACE_ANNOTATION, GRACES],
    ['annotations', LAUNCH_PRIORITY_ANNOTATION, []],
    ['annotations', DELETION_COST_ANNOTATION, []],
    ['annotations', POD_NUMBER_ANNOTATION, []],
    ['annotations', LIFECYCLE_TIME_ANNOTATION, []],
    ['labels', REVISION_LABEL, []],
    ['labels', SHORT_HASH_LABEL, []],
    ['labels', INSTANCE_ID_LABEL, []],
    ['labels', LIFECYCLE_LABEL, []],
    ['labels', SPECIFIED_DELETE_LABEL, []],
  ],
  revisions: [
    ['annotations', COMPLETE_ANNOTATION, []],
    ['annotations', RETAINED_ANNOTATION, []],
    ['annotations', PODS_CREATED_ANNOTATION, []],
    [
      'annotations',
      CLAIM_TEMPLATES_ANNOTATION,
      ['[{"metadata":{"name":"data","labels":{"a":"b"}},"spec":{}}]'],
    ],
    ['annotations', 'kruise.io/cloneset-volumeclaimtemplate-hash', []],
    ['annotations', 'plan.kruise.io/seen', ['{"pods":5}']],
    ['annotations', 'plan.kruise.io/writer', ['host-1_x']],
    ['labels', 'controller.kubernetes.io/hash', []],
  ],
  claims: [
    ['annotations', DELETED_WITH_ANNOTATION, []],
    ['annotations', POD_NUMBER_ANNOTATION, []],
    ['labels', INSTANCE_ID_LABEL, []],
  ],
  snapshots: [
    ['annotations', PROGRESS_ANNOTATION, []],
    ['annotations', 'plan.kruise.io/seen', ['{"pods":5}']],
    ['annotations', 'plan.kruise.io/writer', ['host-1_x']],
    ['labels', ACCEPTED_LABEL, []],
  ],
  target: [
    ['annotations', POLICY_ANNOTATION, []],
    ['annotations', PARTITION_ROLLBACK_ANNOTATION, []],
    ['annotations', PRE_DOWNLOAD_ANNOTATION, []],
  ],
};

let stage: TestCluster;
let observed: Observed;
let now: number;

/** A target with claims in the middle of a plan, one pod being updated in place. */
beforeAll(async () => {
  const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
  const claimed = { volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: storage }] };
  stage = await createTestCluster(cloneSet('web', 'web:1', claimed), { prepare: makeClass });
  await stage.change('web:2', {
    steps: [
      { id: 'one', update: { to: 1 } },
      { id: 'soak', soak: { for: '1h' } },
      { id: 'all', update: { to: '100%' } },
    ],
  });
  await stage.until('Soaking');
  now = stage.clock.now();
  const listed = async (resource: typeof resources.Pod): Promise<KubeObject[]> =>
    (await stage.user.list(resource, IN_NAMESPACE)).items;
  const plan = await stage.plan();
  observed = {
    target: await stage.target(),
    pods: await listed(resources.Pod),
    revisions: await listed(resources.ControllerRevision),
    claims: await listed(resources.PersistentVolumeClaim),
    plans: [createPlanReader(() => undefined)(plan, 0)],
  };
});
afterAll(() => stage.stop());

/** The pods with gates and conditions under which their annotations matter most. */
function drained(pod: KubeObject): KubeObject {
  const spec = pod['spec'] as { readinessGates?: unknown[] };
  const status = pod['status'] as { conditions?: { type: string }[] };
  const shut = { type: IN_PLACE_READY, status: 'False', reason: 'StartInPlaceUpdate' };
  const retained = { type: KRUISE_POD_READY, status: 'False', message: '[null, 5, {"userAgent": 5}]' };
  const rest = (status.conditions ?? []).filter(({ type }) => type !== IN_PLACE_READY);
  return {
    ...pod,
    spec: { ...spec, readinessGates: [...(spec.readinessGates ?? []), { conditionType: KRUISE_POD_READY }] },
    status: { ...status, conditions: [...rest, shut, retained] },
  };
}

describe('security 12: malformed control annotations', () => {
  test(`no value of any label or annotation that the runtime reads throws (${RUNS} mutations)`, () => {
    const random = randomOf(SEED);
    const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
    const snapshots = observed.revisions.filter(isSnapshot);
    expect([observed.pods.length, snapshots.length, observed.claims.length]).toEqual([3, 1, 3]);
    /** The first case of each line that threw. */
    const thrown = new Map<string, string>();
    for (let run = 0; run < RUNS; run++) {
      const kind = pick(['pods', 'pods', 'pods', 'revisions', 'snapshots', 'claims', 'target'] as const);
      const list = kind === 'snapshots' ? snapshots : kind === 'target' ? [observed.target] : observed[kind];
      const victim = pick(list);
      let mutated = kind === 'pods' && random() < 0.7 ? drained(victim) : victim;
      const done: string[] = [];
      for (let n = random() < 0.5 ? 1 : 2; n > 0; n--) {
        const [where, key, seeds] = pick(READ[kind]);
        const own = mutated.metadata[where]?.[key];
        const value = valuesOf(own === undefined ? seeds : [...seeds, own], random)();
        mutated = withText(mutated, where, key, value);
        done.push(`${key}=${value.slice(0, 300)}`);
      }
      const swap = (objects: KubeObject[]): KubeObject[] =>
        objects.map((each) => (each === victim ? mutated : each));
      // A pod is missing, so that a pod must be created, too.
      const pods = swap(observed.pods).slice(random() < 0.3 ? 1 : 0);
      const world: Observed = {
        ...observed,
        target: kind === 'target' ? mutated : observed.target,
        pods,
        revisions: swap(observed.revisions),
        claims: swap(observed.claims),
      };
      try {
        reconcile(world, now + pick([0, 60_000, 3_600_000]));
      } catch (error) {
        const { message, stack = '' } = error as Error;
        const line = /at (.*)/.exec(stack)?.[1] ?? '';
        thrown.set(line, thrown.get(line) ?? `${kind}: ${done.join(' & ')}: ${message}`);
      }
    }
    expect(Object.fromEntries(thrown)).toEqual({});
  });

  test('a malformed state annotation: the target is reconciled without an exception', async () => {
    const [pod] = await stage.pods();
    const text = '{"revision":{},"updateEnvFromMetadata":true,"containerBatchesRecord":5}';
    const annotations = { [IN_PLACE_STATE_ANNOTATION]: text };
    const shut = { type: IN_PLACE_READY, status: 'False', reason: 'StartInPlaceUpdate' };
    const at = { ...IN_NAMESPACE, name: pod?.metadata.name ?? '' };
    await stage.user.patch(resources.Pod, at, { type: 'merge', body: { metadata: { annotations } } });
    await stage.user.patch(
      resources.Pod,
      at,
      { type: 'strategic', body: { status: { conditions: [shut] } } },
      { subresource: 'status' },
    );
    await stage.clock.advance(60_000);
    expect(stage.errors).toEqual([]);
    const [mended] = (await stage.pods()).filter(({ metadata }) => metadata.name === at.name);
    const gate = mended?.status?.conditions?.find(({ type }) => type === IN_PLACE_READY);
    expect(gate?.status).toBe('True');
  });

  test.each(['1e300', '99999999999999999999', '999999999999999', '-5', '0x10'])(
    'counters with %s are written once at most, and the target completes',
    async (text) => {
      const own = await createTestCluster(cloneSet('web', 'web:1'), { policy: 'Auto' });
      const annotate = async (resource: typeof resources.Pod, keys: string[]): Promise<void> => {
        const [first] = (await own.user.list(resource, IN_NAMESPACE)).items;
        const annotations = Object.fromEntries(keys.map((key) => [key, text]));
        const at = { ...IN_NAMESPACE, name: first?.metadata.name ?? '' };
        await own.user.patch(resource, at, { type: 'merge', body: { metadata: { annotations } } });
      };
      await annotate(resources.ControllerRevision, [COMPLETE_ANNOTATION, PODS_CREATED_ANNOTATION]);
      await annotate(resources.Pod, [POD_NUMBER_ANNOTATION]);
      await own.change('web:2', false);
      await own.clock.advance(120_000);
      const [pod] = await own.pods();
      await own.user.delete(resources.Pod, { ...IN_NAMESPACE, name: pod?.metadata.name ?? '' });
      let writes = 0;
      const stop = own.world.onCommit(() => writes++);
      await own.clock.advance(600_000);
      stop();
      expect(await own.images()).toEqual({ 'web:2': 3 });
      expect(own.errors).toEqual([]);
      expect(writes).toBeLessThan(60);
      await own.stop();
    },
  );

  test('a plan whose snapshot has other content is recorded under another name', async () => {
    const own = await createTestCluster(cloneSet('web', 'web:1'));
    const plan = planOf('web', 'web:1', 'web:2');
    const { digest = '' } = plan['spec'] as { digest?: string };
    const [revision] = (await own.user.list(resources.ControllerRevision, IN_NAMESPACE)).items;
    await own.user.create(resources.ControllerRevision, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        ...IN_NAMESPACE,
        name: snapshotName('web', digest),
        labels: { [ACCEPTED_LABEL]: 'true' },
        annotations: { [PROGRESS_ANNOTATION]: '{}' },
        ownerReferences: revision?.metadata.ownerReferences ?? [],
      },
      data: { steps: 5 },
      revision: 1,
    });
    await own.clock.advance(1_000);
    await own.change('web:2');
    await own.until('Succeeded', 600_000);
    expect(own.errors).toEqual([]);
    await own.stop();
  });
});
