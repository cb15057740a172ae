import { expect, test } from 'vitest';
import { namedCommand, type NewRolloutCommand } from '../../../cli/rollout/rollout-command.ts';

const approval: NewRolloutCommand = {
  apiVersion: 'plan.kruise.io/v1alpha1',
  kind: 'RolloutCommand',
  metadata: { generateName: 'web-approve-', namespace: 'shop' },
  spec: {
    target: { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', name: 'web' },
    action: 'Approve',
    step: 'approve-1',
    digest: `h1:${'0'.repeat(32)}`,
    by: 'mona',
  },
};
const NOW = Date.UTC(2026, 0, 1);
const nameOf = (spec: Partial<NewRolloutCommand['spec']>, now = NOW): string =>
  namedCommand({ ...approval, spec: { ...approval.spec, ...spec } }, now).metadata.name;

test('a printed command is named by all that it says', () => {
  expect(nameOf({})).toMatch(/^web-approve-[a-z0-9]{5}$/);
  expect(nameOf({})).toBe(nameOf({}));
  const others = [
    { reason: 'again' },
    { step: 'approve-2' },
    { digest: `h1:${'1'.repeat(32)}` },
    { by: 'jo' },
  ];
  expect(new Set([{}, ...others].map((spec) => nameOf(spec))).size).toBe(others.length + 1);
});

test('and by when: where the same plan comes again, the command of before may still have its name', () => {
  expect(nameOf({}, NOW + 60_000)).not.toBe(nameOf({}));
});
