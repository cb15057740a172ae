import { type Call, callText, intercepting, isWrite } from 'kruise-sandbox';
import { afterEach, describe, expect, test } from 'vitest';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../runtime/runtime.ts';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { childKindOf } from '../../semantics/uniteddeployment/child-kinds.ts';
import {
  createUnitedWorld,
  planFor,
  podTemplate,
  SHOP,
  united,
  type UnitedWorld,
  type Web,
  zones,
} from './united-world.ts';

let world: UnitedWorld | undefined;
afterEach(async () => {
  await world?.stop();
  world = undefined;
});

/** @param onCall of the runtime */
async function created(onCall: (call: Call) => void = () => undefined): Promise<UnitedWorld> {
  const start = (options: RuntimeOptions): Runtime =>
    createRuntime({
      ...options,
      cluster: intercepting(options.cluster, {
        request(call, send) {
          onCall(call);
          return send();
        },
        watch: (_call, open, sink) => open(sink),
      }),
    });
  world = await createUnitedWorld({ workloads: true, start });
  return world;
}

const allOn = (image: string) => ({ a: { [image]: 1 }, b: { [image]: 2 }, c: { [image]: 2 } });

/** A template with one more container, beside one with the pull policy that the server would give it. */
function withContainer(container: JsonObject): JsonObject {
  const main = { name: 'main', image: 'web:1', imagePullPolicy: 'IfNotPresent' };
  return { template: { ...podTemplate('web:1'), spec: { containers: [main, container] } } };
}

const BY_ZONE: readonly Step[] = [
  { id: 'zone-b', update: { to: '100%', subsets: ['b'] }, onFailure: 'Revert' },
  { id: 'one', approve: {} },
  { id: 'rest', update: { to: '100%' } },
];

describe.each(['deploymentTemplate', 'statefulSetTemplate'] as const)(
  'a UnitedDeployment with a %s',
  (field) => {
    const of = (web: Web = {}): Web => ({ field, ...web, spec: { replicas: 5, ...web.spec } });
    const web = (image = 'web:1', more: Web = {}): KubeObject => united(of({ image, ...more }));
    const child = ({ user }: UnitedWorld, subset: string): Promise<KubeObject> =>
      user.get(childKindOf(field).resource, { namespace: SHOP, name: `web-${subset}` });
    const generation = async (self: UnitedWorld): Promise<number> =>
      (await child(self, 'b')).metadata.generation ?? 0;

    test('makes one for each subset, and writes nothing without need', async () => {
      const self = await created();
      const writes: string[] = [];
      await self.apply(web());
      expect([await self.held(), self.errors]).toEqual(['', []]);
      expect(await self.pods()).toEqual(allOn('web:1'));
      expect((await self.target())['status']).toMatchObject({
        ...{ replicas: 5, readyReplicas: 5, updatedReplicas: 5, updatedReadyReplicas: 5 },
        subsetStatuses: [{ partition: 0 }, { partition: 0 }, { partition: 0 }],
      });
      const before = await generation(self);
      self.world.onCommit(({ resource, object }) => {
        if (object.metadata.name === 'web-b') writes.push(resource);
      });
      await self.clock.advance(30 * 60_000);
      expect([await generation(self), writes]).toEqual([before, []]);
    });

    test('sends no patch of a template that means what the server has', async () => {
      const patches: string[] = [];
      const self = await created((call) => {
        if (isWrite(call) && call.name.startsWith('web-')) patches.push(callText(call));
      });
      await self.apply(web());
      await self.apply(planFor(of(), of({ image: 'web:2' }), BY_ZONE), web('web:2'));
      await self.approve('one');
      patches.length = 0;
      await self.set({ revisionHistoryLimit: 5 });
      expect(patches).toEqual([]);
    });

    const side = { name: 'side', image: 'side:1' };
    test.each<[string, JsonObject]>([
      ['of one container', {}],
      ['with a pull policy that is written, and one that is not', withContainer(side)],
    ])('lets a child whose subset has other nodes by now follow its size: %s', async (_, more) => {
      const self = await created();
      await self.apply(web('web:1', { child: more }));
      const moved = zones('abd').map((subset, index) => ({ ...subset, name: 'abc'[index] ?? '' }));
      await self.apply(web('web:1', { child: more, subsets: moved, spec: { replicas: 6 } }));
      expect(objectOf((await child(self, 'c'))['spec'])['replicas']).toBe(2);
      await self.apply(web('web:1', { child: more, subsets: moved, spec: { replicas: 9 } }));
      expect(objectOf((await child(self, 'c'))['spec'])['replicas']).toBe(3);
    });

    test('has zeros where the server keeps them, and writes nothing without need', async () => {
      const self = await created();
      await self.apply(
        web('web:1', { child: { revisionHistoryLimit: 0, minReadySeconds: 0, paused: false } }),
      );
      expect(objectOf((await child(self, 'b'))['spec'])['revisionHistoryLimit']).toBe(0);
      const before = await generation(self);
      await self.clock.advance(30 * 60_000);
      expect([await generation(self), self.errors]).toEqual([before, []]);
    });

    test.each<[string, Step]>([
      ['a part of all pods', { id: 'part', update: { to: '50%' } }],
      ['a part of a subset', { id: 'part', update: { to: '50%', subsets: ['b'] } }],
      ['a number of pods', { id: 'part', update: { to: 2, subsets: ['b'] } }],
      ['other limits', { id: 'part', update: { to: '100%', subsets: ['b'], window: { maxUnavailable: 2 } } }],
    ])('refuses a plan with a step for %s', async (_what, step) => {
      const { apply, pods, held, plan } = await created();
      await apply(web());
      const steps = [step, { id: 'one', approve: {} }, { id: 'rest', update: { to: '100%' } }] as const;
      await apply(planFor(of(), of({ image: 'web:2' }), steps), web('web:2'));
      expect(await held()).toMatch(/^UnsupportedSemantics.*step part .*each subset is updated/);
      expect(await plan()).toMatchObject({ phase: 'Pending' });
      expect(await pods()).toEqual(allOn('web:1'));
      await apply(web());
      expect(await held()).not.toContain('ManifestChanged');
    });

    test('goes a whole subset at a time, one after the other', async () => {
      const self = await created();
      const { apply, approve, pods, plan, most, errors } = self;
      await apply(web());
      most();
      const mixed: string[] = [];
      self.world.onCommit(({ resource, object }) => {
        const { updatedReplicas = 0, replicas = 0 } = objectOf(object['status']) as Record<string, number>;
        if (
          resource.startsWith(childKindOf(field).resource.plural) &&
          updatedReplicas > 0 &&
          updatedReplicas < replicas
        )
          mixed.push(object.metadata.name);
      });
      await apply(planFor(of(), of({ image: 'web:2' }), BY_ZONE), web('web:2'));
      expect(await plan()).toMatchObject({ phase: 'AwaitingApproval', step: 'one' });
      expect(await pods()).toEqual({ ...allOn('web:1'), b: { 'web:2': 2 } });
      await approve('one');
      expect(await plan()).toMatchObject({ phase: 'Succeeded' });
      expect(await pods()).toEqual(allOn('web:2'));
      // One is through before the next one begins.
      expect([...new Set(mixed)]).toEqual(mixed.filter((name, at) => name !== mixed[at - 1]));
      expect(errors).toEqual([]);
    });

    test('goes in the order of its subsets in a step for all, as the forecast says', async () => {
      const { apply, pods, world: sandbox } = await created();
      const sized = {
        subsets: [...zones('a', { replicas: 4 }), ...zones('b', { replicas: 1 }), ...zones('c')],
      };
      const seven: Web = { ...sized, spec: { replicas: 7 } };
      await apply(web('web:1', seven));
      const seen: string[] = [];
      sandbox.onCommit(({ resource, object }) => {
        const isChild = resource.startsWith(childKindOf(field).resource.plural);
        if (isChild && JSON.stringify(objectOf(object['spec'])['template']).includes('web:2'))
          seen.push(object.metadata.name);
      });
      const all: Step = { id: 'all', update: { to: '100%' } };
      await apply(planFor(of(seven), of({ image: 'web:2', ...seven }), [all]), web('web:2', seven));
      expect(await pods()).toEqual({ a: { 'web:2': 4 }, b: { 'web:2': 1 }, c: { 'web:2': 2 } });
      expect([...new Set(seen)]).toEqual(['web-a', 'web-b', 'web-c']);
    });

    test('goes back with git, and stays where it is while it is held', async () => {
      const self = await created();
      const { apply, pods, plan, held } = self;
      await apply(web());
      await apply(web('web:2'));
      expect(await held()).toMatch(/^NoPlan/);
      expect(await pods()).toEqual(allOn('web:1'));
      await apply(planFor(of(), of({ image: 'web:2' }), BY_ZONE));
      expect(await pods()).toEqual({ ...allOn('web:1'), b: { 'web:2': 2 } });
      await apply(web());
      expect(await plan()).toMatchObject({ phase: 'Reverted' });
      expect(await pods()).toEqual(allOn('web:1'));
    });

    test('takes a zone back that does not become ready, and leaves the others alone (UD-36)', async () => {
      const self = await created();
      const { apply, pods, plan, clock, user, world: sandbox } = self;
      sandbox.images.set('web:2', { neverReady: true });
      await apply(web());
      await apply(planFor(of(), of({ image: 'web:2' }), BY_ZONE), web('web:2'));
      expect(await plan()).toMatchObject({ phase: 'Running', step: 'zone-b' });
      await clock.advance(20 * 60_000);
      if (field === 'statefulSetTemplate') {
        // Kubernetes replaces no pod that is not ready (kubernetes#67250): a person deletes it.
        expect(await plan()).toMatchObject({ phase: 'Reverting', message: expect.stringContaining('web-b') });
        await user.delete(resources.Pod, { namespace: SHOP, name: 'web-b-1' });
        await clock.advance(5 * 60_000);
      }
      expect(await plan()).toMatchObject({ phase: 'Reverted' });
      expect((await pods())['a']).toEqual({ 'web:1': 1 });
      expect((await pods())['c']).toEqual({ 'web:1': 2 });
      const { template } = objectOf((await child(self, 'b'))['spec']);
      expect(JSON.stringify(template)).toContain('web:1');
    });

    test('follows its scale, and removes an empty subset', async () => {
      const { apply, pods, user, target } = await created();
      await apply(web());
      await apply(web('web:1', { spec: { replicas: 6 } }));
      expect(await pods()).toEqual({ a: { 'web:1': 2 }, b: { 'web:1': 2 }, c: { 'web:1': 2 } });
      const { topology } = objectOf((await target())['spec']);
      const subsets = (objectOf(topology)['subsets'] as JsonObject[]).slice(0, 2);
      await apply(web('web:1', { subsets, spec: { replicas: 4 } }));
      expect(await pods()).toEqual({ a: { 'web:1': 2 }, b: { 'web:1': 2 } });
      const { items } = await user.list(childKindOf(field).resource, { namespace: SHOP });
      expect(items.map(({ metadata }) => metadata.name)).toEqual(['web-a', 'web-b']);
    });
  },
);
