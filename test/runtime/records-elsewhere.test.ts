import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { afterEach, describe, expect, test } from 'vitest';
import { recordsElsewhere } from '../../runtime/records-elsewhere.ts';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { ACCEPTED_LABEL } from '../../semantics/plan/memory.ts';
import { kinds } from '../../semantics/registry/registry.ts';
import { COMPLETE_ANNOTATION } from '../../semantics/revision/revision.ts';
import { sidecarSets } from '../../semantics/sidecarset/resource.ts';
import { createSite, type Site } from './process-world.ts';
import { setWith } from './sidecar-world.ts';

const SYSTEM = 'kruise-system';

/** A revision of a set, as this runtime or OpenKruise has written it. */
interface Recorded {
  namespace: string;
  by: 'runtime' | 'plan' | 'openkruise';
  /** Of an earlier set of that name. */
  isOfOther?: boolean;
}

const DATA = { spec: {} };

async function record(
  admin: Cluster,
  set: KubeObject,
  { namespace, by, isOfOther }: Recorded,
): Promise<void> {
  const { apiVersion, kind, metadata } = set;
  const uid = isOfOther === true ? 'other' : (metadata.uid ?? '');
  const owner = { apiVersion, kind, name: metadata.name, uid, controller: true };
  const revision = (name: string, more: object, data: object): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, namespace, ownerReferences: [owner], ...more },
    data,
    revision: 1,
  });
  const annotations = by === 'runtime' ? { [COMPLETE_ANNOTATION]: '1' } : {};
  await admin.create(resources.ControllerRevision, revision('log-1', { annotations }, DATA));
  if (by !== 'plan') return;
  await admin.create(
    resources.ControllerRevision,
    revision('log-plan', { labels: { [ACCEPTED_LABEL]: 'h' } }, {}),
  );
}

/** A cluster with a set whose status names its newest revision, where it has any. */
async function fill(admin: Cluster, recorded: readonly Recorded[], isOnRecord = true): Promise<void> {
  await admin.create(resources.Namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: SYSTEM },
  });
  const set = await admin.create(sidecarSets, setWith('log:1'));
  if (isOnRecord) {
    const status = { matchedPods: 0, updatedPods: 0, readyPods: 0, latestRevision: 'log-1' };
    const patch = { type: 'merge', body: { status } } as const;
    await admin.patch(sidecarSets, { name: 'log' }, patch, { subresource: 'status' });
  }
  for (const each of recorded) await record(admin, set, each);
}

describe('records of cluster-scoped objects in another namespace', () => {
  test.each<[string, Recorded[], string | undefined]>([
    ['none', [], undefined],
    ['here', [{ namespace: SYSTEM, by: 'runtime' }], undefined],
    ['those of OpenKruise, here', [{ namespace: SYSTEM, by: 'openkruise' }], undefined],
    ['those of OpenKruise, elsewhere', [{ namespace: 'shop', by: 'openkruise' }], undefined],
    ['of an earlier set of that name', [{ namespace: 'shop', by: 'runtime', isOfOther: true }], undefined],
    ['a revision elsewhere', [{ namespace: 'shop', by: 'runtime' }], 'shop'],
    ['a plan elsewhere', [{ namespace: 'shop', by: 'plan' }], 'shop'],
    [
      'those of OpenKruise, and elsewhere',
      [
        { namespace: 'default', by: 'openkruise' },
        { namespace: 'shop', by: 'runtime' },
      ],
      'shop',
    ],
    [
      'in both',
      [
        { namespace: SYSTEM, by: 'runtime' },
        { namespace: 'shop', by: 'runtime' },
      ],
      undefined,
    ],
  ])('%s', async (_what, recorded, namespace) => {
    const world = createWorld({ clock: createVirtualClock(0), namespaces: ['default', 'shop'], nodes: 0 });
    await fill(world.cluster('admin'), recorded, recorded.length > 0);
    const found = await recordsElsewhere(world.cluster('kruise'), kinds, SYSTEM);
    expect(found?.problem).toBe(
      namespace &&
        `the revisions and records of SidecarSet log are in the namespace ${namespace}, and this process looks for them in ${SYSTEM}`,
    );
    if (namespace !== undefined) expect(found?.help).toContain(`--lease-namespace ${namespace}`);
    world.stop();
  });

  test('a kind that is not managed is not asked about', async () => {
    const world = createWorld({ clock: createVirtualClock(0), namespaces: ['shop'], nodes: 0 });
    await fill(world.cluster('admin'), [{ namespace: 'shop', by: 'runtime' }]);
    expect(await recordsElsewhere(world.cluster('kruise'), [], SYSTEM)).toBe(undefined);
    world.stop();
  });
});

describe('a process', () => {
  let site: Site | undefined;
  afterEach(async () => {
    await site?.close();
    site = undefined;
  });

  async function begin(): Promise<Site> {
    site = await createSite(20);
    await fill(site.world.cluster('admin'), [{ namespace: 'shop', by: 'runtime' }]);
    return site;
  }

  test('outside of a pod does not start without them, with --adopt neither', async () => {
    const { start, world } = await begin();
    const { failed } = await start({ stateNamespace: SYSTEM, adopt: true });
    expect(await failed).toMatchObject({
      isFinal: true,
      help: expect.stringContaining('--lease-namespace shop'),
    });
    const { items } = await world.cluster('admin').list(resources.ControllerRevision, { namespace: SYSTEM });
    expect(items).toEqual([]);
  });

  test('goes on where they are named', async () => {
    const { start, until, lines } = await begin();
    await start({ stateNamespace: 'shop' });
    await until('a leader', () => lines.some(({ msg }) => msg === 'acquired the lease'));
  });

  test('in a pod warns, and reconciles all others', async () => {
    const { start, until, lines, connection } = await begin();
    await start({ stateNamespace: SYSTEM, connection: { ...connection, isOfPod: true } });
    await until('a leader', () => lines.some(({ msg }) => msg === 'acquired the lease'));
    await until('a warning', () =>
      lines.some(({ level, msg }) => level === 'warn' && msg.includes('are in the namespace shop')),
    );
  });
});
