import { describe, expect, test } from 'vitest';
import { drive, state } from './drive.ts';
import { accepted, MINUTE, NEW, NEWER, OLD, planObject, pods, spec, UNEXPECTED, view } from './rollout.ts';

const soak = { id: 'soak', soak: { for: '5m' } };
const rest = { id: 'rest', update: { to: '100%' as const } };

describe('pods on unexpected revisions', () => {
  const back = (parts = {}) =>
    drive({
      view: view({ liveHash: OLD, stable: OLD, pods: [...pods(OLD, 4), ...pods(UNEXPECTED, 1)], ...parts }),
    });

  test.each([
    ['without a plan', {}],
    ['with a partition, which retains only the recorded pods', { partition: 2 }],
  ])('they are updated to the revision that is stable and in git: %s', (_, parts) => {
    expect(back(parts).reconcile().envelope).toMatchObject({ goal: OLD, moving: true, obeyPartition: false });
  });

  test('retained pods are not unexpected', () => {
    const { envelope } = back({
      pods: [...pods(OLD, 4), ...pods(UNEXPECTED, 1)],
      retained: { hash: UNEXPECTED, n: 1 },
    }).reconcile();
    expect(envelope).toMatchObject({ moving: false, obeyPartition: true });
  });

  test('if git has another revision, no pod is updated without a plan', () => {
    expect(back({ liveHash: NEWER }).reconcile().envelope).toMatchObject({ goal: OLD, moving: false });
  });
});

describe('the message about pods on revisions that the plan does not list', () => {
  const blockedBy = (count: number): string | undefined =>
    drive({
      view: view({ pods: [...pods(OLD, 2), ...pods(UNEXPECTED, count, { name: 'other' })] }),
      plans: [planObject(spec())],
    }).reconcile().blocked?.message;
  const way = 'or plan from the commit with that template (COMMIT): kruise plan MANIFEST --base COMMIT';

  test('names the pod', () => {
    expect(blockedBy(1)).toBe(`pod other is on stray, which the plan does not start from. Delete it, ${way}`);
  });

  test.each([
    [2, '2 pods are on revisions that the plan does not start from: other (stray), other (stray).'],
    [5, 'other (stray), other (stray), other (stray) and 2 more. Delete them, '],
  ])('names at most three of %i', (count, text) => {
    expect(blockedBy(count)).toContain(text);
  });
});

describe('restarts count from the end of a pod’s own update', () => {
  const soaking = (restarts: number, createdAt: number) => {
    const self = drive({
      view: view({
        pods: [...pods(NEW, 2), ...pods(OLD, 2), ...pods(NEW, 1, { name: 'slow', restarts, createdAt })],
      }),
      plans: [planObject(spec({ steps: [{ id: 'canary', update: { to: 3 } }, soak, rest] }))],
      memory: [
        accepted(spec({ steps: [{ id: 'canary', update: { to: 3 } }, soak, rest] }), { stepSince: 1000 }),
      ],
    });
    self.reconcile();
    return self;
  };

  test('a pod that restarted during its update does not fail the soak after it', () => {
    const self = soaking(2, 5000);
    expect(state(self)).toMatch(/Soaking/);
    self.wait(6 * MINUTE);
    expect(state(self)).not.toMatch(/Halted/);
  });

  test('one that existed before the batch, and has restarted since, does', () => {
    expect(state(soaking(2, 500))).toMatch(/Halted/);
  });

  test('one that restarts again in the soak does, too', () => {
    const self = soaking(2, 5000);
    self.view = {
      ...self.view,
      pods: self.view.pods.map((p) => (p.name === 'slow' ? { ...p, restarts: 3 } : p)),
    };
    self.reconcile();
    expect(state(self)).toMatch(/Halted/);
  });
});
