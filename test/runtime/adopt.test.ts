import { describe, expect, test } from 'vitest';
import { leaderAt, OPENKRUISE } from '../../runtime/lead/competing-controllers.ts';
import { createRuntime } from '../../runtime/runtime.ts';
import { createVirtualClock, createWorld } from 'kruise-sandbox';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import type { Pod } from '../../semantics/pod/types.ts';
import { type Case, cases } from '../fixtures/openkruise/cases.ts';
import { LAST_WRITE, openKruiseObjects } from '../fixtures/openkruise/objects.ts';
import { stateWith } from '../fixtures/openkruise/world.ts';

interface Outcome {
  writes: string[];
  /** Writes to the status of the CloneSet. */
  statusWrites: number;
  before: Map<string, Pod>;
  after: Map<string, Pod>;
  restarts: Record<string, number>;
  gone: string[];
}

const READS = new Set(['get', 'list', 'watch']);

/** Adopts the objects of OpenKruise in a cluster with running kubelets, for five minutes. */
async function takeOver({ story }: Case, policy: 'Required' | 'Auto', adopt = true): Promise<Outcome> {
  const clock = createVirtualClock(LAST_WRITE);
  const restored = await stateWith(openKruiseObjects(story), clock);
  const world = createWorld({ clock, restored, seed: 2, namespaces: [] });
  const pods = async (): Promise<Map<string, Pod>> => {
    const { items } = await world.cluster('user').list(resources.Pod);
    return new Map(items.map((pod) => [pod.metadata.name.slice('web-'.length), pod as Pod]));
  };
  const before = await pods();
  const errors: unknown[] = [];
  const cluster = world.cluster('kruise');
  const runtime = createRuntime({ cluster, clock, policy, adopt, onError: (_, error) => errors.push(error) });
  runtime.start();
  await clock.advance(300_000);
  expect(errors).toEqual([]);
  const after = await pods();
  const written = world.log.filter(({ user, verb }) => user === 'kruise' && !READS.has(verb));
  const statusWrites = written.filter(({ resource }) => resource === 'clonesets').length;
  const writes = written
    .filter(({ resource }) => resource === 'pods' || resource === 'controllerrevisions')
    .map(({ verb, resource, subresource, name = '', code }) => {
      const at = subresource === undefined ? resource : `${resource}/${subresource}`;
      const isNew = resource === 'pods' && !before.has(name.slice('web-'.length));
      return `${verb} ${at} ${isNew ? 'a new one' : name}${code < 300 ? '' : ` ${code}`}`;
    });
  const { items: revisions } = await world.cluster('user').list(resources.ControllerRevision);
  void runtime.stop();
  world.stop();
  const restarts: Record<string, number> = {};
  for (const [id, pod] of after) {
    const added = restartsOf(pod) - restartsOf(before.get(id));
    if (added > 0) restarts[id] = added;
  }
  for (const pod of adopt ? after.values() : [])
    expect(imagesOf(pod.spec)).toEqual(imagesOf(templateOf(revisions, pod).spec));
  const uid = (id: string): string | undefined => after.get(id)?.metadata.uid;
  const gone = [...before].filter(([id, { metadata }]) => uid(id) !== metadata.uid).map(([id]) => id);
  return { writes, statusWrites, before, after, restarts, gone };
}

function restartsOf(pod: Pod | undefined): number {
  return (pod?.status?.containerStatuses ?? []).reduce((sum, each) => sum + (each.restartCount ?? 0), 0);
}

function imagesOf(spec: { containers: { name: string; image: string }[] }): string[] {
  return spec.containers.map(({ name, image }) => `${name}=${image}`);
}

/** The template of the revision in the labels of the pod. */
function templateOf(revisions: readonly KubeObject[], { metadata }: Pod): Pick<Pod, 'spec'> {
  const label = metadata.labels?.['controller-revision-hash'] ?? '';
  const data = revisions.find(({ metadata: { name } }) => name.endsWith(label))?.['data'];
  return (data as { spec: { template: Pick<Pod, 'spec'> } }).spec.template;
}

describe('targets of OpenKruise are adopted', () => {
  describe.each(cases)('$name', (each) => {
    test('under Required, no pod is updated that OpenKruise was not updating', async () => {
      const outcome = await takeOver(each, 'Required');
      expect(outcome.writes).toEqual(each.required);
      expect(outcome.statusWrites > 0).toBe(each.isPublished);
      expect(outcome.restarts).toEqual(each.restarts ?? {});
      expect(outcome.gone).toEqual(each.deleted ?? []);
    });

    test('under Auto, the update continues', async () => {
      const outcome = await takeOver(each, 'Auto');
      expect(outcome.writes).toEqual(each.auto ?? each.required);
      expect(outcome.restarts).toEqual(each.autoRestarts ?? each.restarts ?? {});
      expect(outcome.gone).toEqual(each.deleted ?? []);
    });
  });
});

describe('without --adopt', () => {
  test.each(cases)('$name: the target is held, and nothing is written to its pods', async (each) => {
    const { writes, restarts, gone } = await takeOver(each, 'Auto', false);
    expect(writes).toEqual([]);
    expect(gone).toEqual([]);
    // Those that OpenKruise has set going, and no other.
    expect(Object.keys(restarts).filter((id) => id !== 'bbbbb')).toEqual([]);
  });
});

describe("OpenKruise's manager", () => {
  async function ask(renewals: number, holderIdentity = 'manager-0'): Promise<string | undefined> {
    const clock = createVirtualClock(LAST_WRITE);
    const world = createWorld({ clock, namespaces: ['kruise-system'], nodes: 0 });
    const manager = world.cluster('kruise-manager');
    const at = { namespace: 'kruise-system', name: 'kruise-manager' };
    const spec = { holderIdentity, renewTime: '2026-01-02T12:00:00.000000Z' };
    if (renewals >= 0)
      await manager.create(resources.Lease, {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: at,
        spec,
      });
    let answered = false;
    const asked = leaderAt(OPENKRUISE, world.cluster('kruise'), clock).finally(() => (answered = true));
    for (let n = 1; n <= 10; n += 1) {
      await clock.advance(2_000);
      const renewTime = `2026-01-02T12:00:${String(n).padStart(2, '0')}.000000Z`;
      if (n <= renewals)
        await manager.patch(resources.Lease, at, { type: 'merge', body: { spec: { renewTime } } });
    }
    expect(answered).toBe(true);
    world.stop();
    return asked;
  }

  test.each([
    ['renews its Lease: it is there', 10, 'manager-0', 'manager-0'],
    ['renews it once more: better to ask again', 1, 'manager-0', 'manager-0'],
    ['left its Lease behind, whatever time that says', 0, 'manager-0', undefined],
    ['gave it back', 0, '', undefined],
    ['was never there', -1, '', undefined],
  ] as const)('%s', async (_, renewals, holder, expected) => {
    expect(await ask(renewals, holder)).toBe(expected);
  });
});
