import { expect, test } from 'vitest';
import type { Checks } from '../../runtime/check/checks.ts';
import type { Caches } from '../../runtime/observe/caches.ts';
import { type TargetKey, targetKey } from '../../runtime/observe/target-key.ts';
import { createStates } from '../../runtime/reconcile/state.ts';
import { createRolloutContexts } from '../../runtime/plan/rollout-contexts.ts';
import { createVirtualClock } from 'kruise-sandbox/clock';
import type { Cluster } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Advance } from '../../semantics/plan/advance.ts';
import type { Blocked } from '../../semantics/plan/blocked.ts';
import { planOf } from './stage.ts';

const queued: Blocked = { fact: 'queued', reason: 'Queued', message: 'waits for a slot' };
const keyOf = (name: string) => targetKey({ group: 'apps.kruise.io', kind: 'CloneSet' }, 'shop', name);

function plan(target: string, name: string, group: string): KubeObject {
  const object = planOf(target, 'web:1', 'web:2', { group });
  return { ...object, metadata: { ...object.metadata, name, uid: name } };
}

/** The first plan by name was edited, so its digest is wrong. */
function edited(object: KubeObject): KubeObject {
  return { ...object, spec: { ...(object['spec'] as object), group: '0-first' } };
}

/** One slot, which is taken; then these targets queue for it in this order. Returns the target that gets it. */
async function served(plansOf: Readonly<Record<string, readonly KubeObject[]>>): Promise<string[]> {
  const asked: string[] = [];
  const clock = createVirtualClock(0);
  const caches = {
    plansOf: (key: TargetKey) => [...(plansOf[key.name] ?? [])],
    target: () => undefined,
    targets: () => [],
  } as unknown as Caches;
  const states = createStates({ cluster: {} as Cluster, caches, clock });
  const contexts = createRolloutContexts({
    caches,
    states,
    checks: { refusal: () => undefined } as unknown as Checks<TargetKey>,
    clock,
    maxRunning: 1,
    enqueue: (key) => void asked.push(key.name),
  });
  const result = { accepted: undefined, blocked: queued, pending: new Map<string, Blocked>() };
  const [first = '', ...rest] = Object.keys(plansOf);
  for (const name of [first, ...rest]) {
    states.of(keyOf(name));
    contexts.plans(keyOf(name));
  }
  // Plans of one commit have arrived.
  await clock.advance(60_000);
  expect(contexts.enterQueue(keyOf(first), result as unknown as Advance)).toBe(true);
  for (const name of rest) contexts.enterQueue(keyOf(name), result as unknown as Advance);
  asked.length = 0;
  contexts.released(keyOf(first));
  return asked;
}

test('a target waits in the group of its plan, not in that of a refused plan', async () => {
  const groups = {
    running: [plan('running', 'running', '1')],
    api: [edited(plan('api', 'a-edited', '0')), plan('api', 'cloneset-api', '9-last')],
    web: [plan('web', 'cloneset-web', '5')],
  };
  expect(await served(groups)).toEqual(['web']);
});
