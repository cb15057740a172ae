import { describe, expect, test } from 'vitest';
import { drive, state } from './drive.ts';
import { accepted, MINUTE, NEW, NEWER, OLD, planObject, pods, spec, UNEXPECTED, view } from './rollout.ts';

const soak = { id: 'soak', soak: { for: '5m' } };
const rest = { id: 'rest', update: { to: '100%' as const } };

describe('pods that are where nobody meant them to be', () => {
  const back = (parts = {}) =>
    drive({
      view: view({ liveHash: OLD, stable: OLD, pods: [...pods(OLD, 4), ...pods(UNEXPECTED, 1)], ...parts }),
    });

  test.each([
    ['without a plan', {}],
    ['under a standing partition, which keeps back what is held and nothing else', { partition: 2 }],
  ])('they come back where the target is complete and git says: %s', (_, parts) => {
    expect(back(parts).reconcile().envelope).toMatchObject({ goal: OLD, moving: true, obeyPartition: false });
  });

  test('held pods are no strays', () => {
    const { envelope } = back({
      pods: [...pods(OLD, 4), ...pods(UNEXPECTED, 1)],
      retained: { hash: UNEXPECTED, n: 1 },
    }).reconcile();
    expect(envelope).toMatchObject({ moving: false, obeyPartition: true });
  });

  test('where git says something else nothing moves without a plan', () => {
    expect(back({ liveHash: NEWER }).reconcile().envelope).toMatchObject({ goal: OLD, moving: false });
  });
});

describe('restarts count from the end of a pod’s own update (plan, section 5)', () => {
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

  test('a pod that restarted while it came up is no breach of the soak after it', () => {
    const self = soaking(2, 5000);
    expect(state(self)).toMatch(/Soaking/);
    self.wait(6 * MINUTE);
    expect(state(self)).not.toMatch(/Halted/);
  });

  test('one that was there before the batch, and has restarted since, is', () => {
    expect(state(soaking(2, 500))).toMatch(/Halted/);
  });

  test('one that restarts again in the soak is, too', () => {
    const self = soaking(2, 5000);
    self.view = {
      ...self.view,
      pods: self.view.pods.map((p) => (p.name === 'slow' ? { ...p, restarts: 3 } : p)),
    };
    self.reconcile();
    expect(state(self)).toMatch(/Halted/);
  });
});
