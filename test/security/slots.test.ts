import { afterEach, describe, expect, test } from 'vitest';
import type { Step } from '../../schemas/generated/types/rolloutplan.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { cloneSet, createStage, planOf, type Stage, startRuntime, templateOf } from '../runtime/stage.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const soaks: Step[] = [
  { id: 'one', update: { to: 1 } },
  { id: 'soak', soak: { for: '720h' } },
  { id: 'all', update: { to: '100%' } },
];
const asks: Step[] = [
  { id: 'one', update: { to: 1 } },
  { id: 'approve', approve: {} },
  { id: 'all', update: { to: '100%' } },
];

let stage: Stage;
afterEach(() => stage.stop());

function inNamespace(object: KubeObject, namespace: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

type Target = readonly [namespace: string, name: string];

/** One CloneSet `web` in `shop`, and these, settled. */
async function start(maxRunning: number, others: readonly Target[]): Promise<void> {
  stage = await createStage(cloneSet('web', 'web:1', { replicas: 2 }), {
    maxRunning,
    world: { namespaces: ['default', 'shop', 'evil'] },
  });
  for (const [namespace, name] of others)
    await stage.user.create(
      resources.CloneSet,
      inNamespace(cloneSet(name, `${name}:1`, { replicas: 2 }), namespace),
    );
  await stage.clock.advance(MINUTE);
}

/** Another image and the plan that leads there. */
async function change([namespace, name]: Target, steps?: Step[]): Promise<void> {
  const plan = planOf(name, `${name}:1`, `${name}:2`, steps === undefined ? {} : { steps });
  await stage.user.create(resources.RolloutPlan, inNamespace(plan, namespace));
  const body = { spec: { template: templateOf(name, `${name}:2`) } };
  await stage.user.patch(resources.CloneSet, { namespace, name }, { type: 'merge', body });
}

async function shown([namespace, name]: Target): Promise<{ phase?: string; waitingOn?: string }> {
  const plan = await stage.user.get(resources.RolloutPlan, { namespace, name: `cloneset-${name}` });
  return plan['status'] ?? {};
}

/** Approves the step `approve` of a plan. */
async function approve([namespace, name]: Target): Promise<void> {
  const plan = await stage.user.get(resources.RolloutPlan, { namespace, name: `cloneset-${name}` });
  await stage.user.create(resources.RolloutCommand, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutCommand',
    metadata: { namespace, name: `approve-${name}` },
    spec: {
      action: 'Approve',
      target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name },
      digest: (plan['spec'] as { digest: string }).digest,
      step: 'approve',
      by: 'ann',
    },
  });
}

/** The plans that came to Succeeded, in that order, of one namespace each. */
function finished(): string[] {
  const seen: string[] = [];
  stage.world.onCommit(({ object }) => {
    const { phase } = (object['status'] ?? {}) as { phase?: string };
    const text = `${object.metadata.namespace}/${object.metadata.name}`;
    if (object.kind === 'RolloutPlan' && phase === 'Succeeded' && !seen.includes(text)) seen.push(text);
  });
  return seen;
}

describe('security 10: slots', () => {
  test('plans that soak for a month hold none: another team goes on at once', async () => {
    const evil: Target[] = [
      ['evil', 'a'],
      ['evil', 'b'],
    ];
    await start(2, evil);
    for (const target of evil) await change(target, soaks);
    await stage.clock.advance(5 * MINUTE);
    for (const target of evil) expect(await shown(target)).toMatchObject({ phase: 'Soaking' });
    await change(['shop', 'web']);
    await stage.clock.advance(5 * MINUTE);
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Succeeded' });
  });

  test('the namespaces take turns, whatever their names and however many wait in one of them', async () => {
    const evil: Target[] = ['a', 'b', 'c', 'd'].map((name) => ['evil', name] as const);
    await start(1, evil);
    const seen = finished();
    for (const target of evil) await change(target);
    await change(['shop', 'web']);
    await stage.clock.advance(10 * MINUTE);
    expect(seen).toHaveLength(5);
    expect(seen.indexOf('shop/cloneset-web')).toBeLessThan(2);
  });

  test('one that goes on after a gate waits for a slot like others, and moves no pod before', async () => {
    await start(1, [['shop', 'api']]);
    await change(['shop', 'web'], asks);
    await stage.clock.advance(5 * MINUTE);
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'AwaitingApproval' });
    stage.world.images.set('api:2', { pullMs: 3 * MINUTE });
    await change(['shop', 'api']);
    await stage.clock.advance(MINUTE);
    await approve(['shop', 'web']);
    await stage.clock.advance(30_000);
    expect(await shown(['shop', 'api'])).toMatchObject({ phase: 'Running' });
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Running', waitingOn: 'Queued' });
    expect(await stage.images()).toEqual({ 'web:1': 1, 'web:2': 1 });
    await stage.clock.advance(20 * MINUTE);
    expect(await shown(['shop', 'api'])).toMatchObject({ phase: 'Succeeded' });
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Succeeded' });
  });

  test('a runtime that starts anew gives out no more slots than there are, to the same plans', async () => {
    await start(1, [['shop', 'api']]);
    await change(['shop', 'web'], asks);
    await stage.clock.advance(5 * MINUTE);
    stage.world.images.set('api:2', { pullMs: 10 * MINUTE });
    await change(['shop', 'api']);
    await stage.clock.advance(MINUTE);
    await approve(['shop', 'web']);
    await stage.clock.advance(30_000);
    await stage.runtime.stop();
    const runtime = startRuntime(stage.world, stage.clock, stage.errors, { maxRunning: 1 });
    await stage.clock.advance(2 * MINUTE);
    expect(await shown(['shop', 'web'])).toMatchObject({ phase: 'Running', waitingOn: 'Queued' });
    expect(await shown(['shop', 'api'])).not.toMatchObject({ waitingOn: 'Queued' });
    expect(await stage.images()).toEqual({ 'web:1': 1, 'web:2': 1 });
    await stage.clock.advance(DAY);
    expect(await stage.images()).toEqual({ 'web:2': 2 });
    void runtime.stop();
  });
});
