import { expect, test } from 'vitest';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { timestamp } from '../../semantics/values/timestamp.ts';
import { HOUR, lead, MINUTE } from './lead.ts';
import { cloneSet, createTestCluster, patchSpec, phaseOf, templateOf } from './stage.ts';

const strategy = (rollingUpdate: JsonObject): JsonObject => ({
  updateStrategy: {
    type: 'RollingUpdate',
    rollingUpdate: { podUpdatePolicy: 'InPlaceIfPossible', ...rollingUpdate },
  },
});

test('break glass opens all that a plan has recorded: limits, order and minReadySeconds; afterwards it holds again', async () => {
  const stage = await createTestCluster(
    cloneSet('web', 'web:1', { replicas: 6, minReadySeconds: 600 }, { maxUnavailable: 1 }),
  );
  await stage.clock.advance(HOUR);
  await lead(stage, templateOf('web', 'web:2'), { steps: [{ id: 'all', update: { to: '100%' } }] });
  await stage.clock.advance(MINUTE);
  expect(await stage.images()).toEqual({ 'web:1': 5, 'web:2': 1 });
  await patchSpec(stage, 'web', { minReadySeconds: 0, ...strategy({ maxUnavailable: 2 }) });
  await stage.clock.advance(MINUTE);
  expect(await stage.images()).toEqual({ 'web:1': 5, 'web:2': 1 });

  const target = { kind: 'CloneSet', name: 'web' };
  const expires = timestamp(stage.clock.now() + 3_000);
  await stage.user.create(resources.RolloutCommand, {
    apiVersion: 'plan.kruise.io/v1alpha1',
    kind: 'RolloutCommand',
    metadata: { name: 'open', namespace: 'shop' },
    spec: { target, action: 'BreakGlass', by: 'mona', expires },
  });
  await stage.clock.advance(3_000);
  const opened = await stage.images();
  expect(opened['web:2']).toBeGreaterThan(2);
  expect(opened['web:1']).toBeGreaterThan(0);
  await stage.clock.advance(5 * MINUTE);
  expect(await stage.images()).toEqual(opened);
  await stage.clock.advance(2 * HOUR);
  expect([await phaseOf(stage), await stage.images()]).toEqual(['Succeeded', { 'web:2': 6 }]);
  await stage.stop();
});
