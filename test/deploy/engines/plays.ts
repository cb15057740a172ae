import { expect } from 'vitest';
import { type Manifest, commits as commitsIn, unprotected } from './states.ts';
import type { Files } from './engine.ts';
import type { Scene } from './scene.ts';
import { at, heldBy, isAt, phaseOf } from './stage.ts';

export interface Play {
  title: string;
  play(scene: Scene): Promise<void>;
}

const A = 'web:1';
const B = 'web:2';
const C = 'web:3';

/** The git states of a history, of which the first is applied and at rest. */
async function begun(
  scene: Scene,
  history: readonly (Manifest | undefined)[],
  gated = false,
  changed = (files: Files): Files => files,
): Promise<Awaited<ReturnType<typeof commitsIn>>> {
  const states = (await commitsIn(history, { gated, namespace: scene.stage.namespace })).map(changed);
  const [first = new Map()] = states;
  await scene.sync(first);
  await scene.until('the first state', (seen) => isAt(seen, history[0]?.image ?? ''));
  return states;
}

const [a, b, c] = [{ image: A }, { image: B }, { image: C }] as const;
const none = new Map<string, string>();

/** Some pods are at the new revision, some not. */
const halfway =
  (image: string) =>
  (seen: Awaited<ReturnType<Scene['see']>>): boolean =>
    at(seen, image) > 0 && at(seen, image) < 4;

export const plays: readonly Play[] = [
  {
    title: 'a rollout that is healed each second goes to its end',
    async play(scene) {
      const [, next = none] = await begun(scene, [a, b], true);
      scene.heal();
      await scene.sync(next);
      await scene.until('the gate', (seen) => phaseOf(seen) === 'AwaitingApproval');
      await scene.rests(next, scene.stage.gateMs);
      expect(at(await scene.see(), B)).toBe(1);
      await scene.command('Approve');
      await scene.until('the end', (seen) => phaseOf(seen) === 'Succeeded');
      await scene.restsAt(B, next);
    },
  },
  {
    title: 'a manifest that comes before its plan waits for it',
    async play(scene) {
      const [, next = none] = await begun(scene, [a, b]);
      await scene.sync(next, { only: 'manifests/' });
      await scene.pass(5_000);
      expect(at(await scene.see(), A)).toBe(4);
      await scene.sync(next);
      await scene.restsAt(B, next);
    },
  },
  {
    title: 'a plan that comes before its manifest waits for it',
    async play(scene) {
      const [, next = none] = await begun(scene, [a, b]);
      await scene.sync(next, { only: 'plans/' });
      await scene.pass(5_000);
      expect(at(await scene.see(), A)).toBe(4);
      await scene.sync(next);
      await scene.restsAt(B, next);
    },
  },
  {
    title: 'a plan that is pruned in the middle stops the rollout, and goes on where it was once it is back',
    async play(scene) {
      const [, next = none] = await begun(scene, [a, b], true);
      await scene.sync(next);
      await scene.until('the gate', (seen) => phaseOf(seen) === 'AwaitingApproval');
      await scene.command('Approve');
      await scene.until('the middle', (seen) => halfway(B)(seen) && at(seen, B) > 1);
      const without = new Map([...next].filter(([path]) => !path.startsWith('plans/')));
      await scene.sync(without);
      await scene.until(
        'the hold',
        ({ plans, target }) => plans.length === 0 && heldBy(target) === 'PlanMissing',
      );
      await scene.pass(5_000);
      expect(at(await scene.see(), A)).toBeGreaterThan(0);
      await scene.sync(next);
      await scene.restsAt(B, next);
    },
  },
  ...(['plans first', 'targets first'] as const).map((order) => ({
    title: `target and plan are pruned in the middle, ${order}, and nothing comes back`,
    async play(scene: Scene) {
      const [, next = none, removed = none] = await begun(scene, [a, b, undefined]);
      await scene.sync(next);
      await scene.until('the middle', halfway(B));
      await scene.sync(removed, { prune: order });
      await scene.until(
        'the end',
        ({ target, plans, pods }) =>
          target === undefined && plans.length === 0 && (pods.length === 0 || !scene.stage.collectsGarbage),
      );
      await scene.pass(5_000);
      // With the record of the plan gone, too, the same change begins anew.
      await scene.sync(next);
      await scene.restsAt(B, next);
    },
  })),
  {
    title: 'a commit in the middle takes the plan of the one before over',
    async play(scene) {
      const [, next = none, last = none] = await begun(scene, [a, b, c]);
      await scene.sync(next);
      await scene.until('the middle', halfway(B));
      scene.heal();
      await scene.sync(last);
      await scene.until('the end', (seen) => phaseOf(seen) === 'Succeeded');
      await scene.restsAt(C, last);
    },
  },
  {
    title: 'a revert reaches the pods while a gate waits',
    async play(scene) {
      const [first = none, next = none] = await begun(scene, [a, b], true);
      scene.heal();
      await scene.sync(next);
      await scene.until('the gate', (seen) => phaseOf(seen) === 'AwaitingApproval');
      await scene.reaches(A, first);
      await scene.restsAt(A, first);
    },
  },
  {
    title: 'a sync that prunes while a gate waits ends, and the revert brings back what it took',
    async play(scene) {
      const history = [
        { ...a, config: 'one' },
        { ...b, config: 'two' },
      ];
      const [first = none, next = none] = await begun(scene, history, true, unprotected);
      await scene.sync(next);
      await scene.until('the gate', (seen) => phaseOf(seen) === 'AwaitingApproval');
      expect(await scene.generated()).toEqual(['web-two']);
      await scene.rests(next);
      await scene.reaches(A, first);
      await scene.restsAt(A, first);
      expect(await scene.generated()).toEqual(['web-one']);
    },
  },
  {
    title: 'a revert reaches the pods in the middle of a step',
    async play(scene) {
      const [first = none, next = none] = await begun(scene, [a, b]);
      await scene.sync(next);
      await scene.until('the middle', halfway(B));
      await scene.reaches(A, first);
      await scene.restsAt(A, first);
    },
  },
  {
    title: 'two quick rollouts that recreate pods, with reverts between them, lose none',
    async play(scene) {
      // Another ConfigMap changes what no pod takes in place.
      const history = [
        { ...a, config: 'one' },
        { ...b, config: 'two' },
      ];
      const [first = none, next = none] = await begun(scene, history);
      const reasons = new Set<string | undefined>();
      const reach = (holds: (seen: Awaited<ReturnType<Scene['see']>>) => boolean): Promise<unknown> =>
        scene.until('the next pods', (seen) => {
          reasons.add(heldBy(seen.target));
          return holds(seen);
        });
      for (let rollouts = 0; rollouts < 4; rollouts += 1) {
        await scene.sync(next);
        await reach((seen) => at(seen, B) > 0);
        await scene.sync(first);
        await reach((seen) => isAt(seen, A));
      }
      expect([...reasons]).not.toContain('PodsLost');
      await scene.restsAt(A, first);
    },
  },
  {
    title: 'an engine that restarts in the middle finds its objects, and prunes what its forerunner left',
    async play(scene) {
      const [first = none, next = none, removed = none] = await begun(scene, [a, b, undefined], true);
      await scene.sync(next);
      await scene.until('the gate', (seen) => phaseOf(seen) === 'AwaitingApproval');
      scene.restartEngine();
      await scene.sync(next);
      await scene.pass(5_000);
      expect(at(await scene.see(), B)).toBe(1);
      await scene.reaches(A, first);
      await scene.restsAt(A, first);
      scene.restartEngine();
      await scene.sync(removed);
      await scene.until('nothing', ({ target, plans }) => target === undefined && plans.length === 0);
    },
  },
];
