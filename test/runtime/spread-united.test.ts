import { expect, test } from 'vitest';
import { resources } from '../../schemas/wire/resources.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { templateOf } from './stage.ts';
import { AT, spreadWorld, zones } from './spread-world.ts';

test('the pods of a child of a UnitedDeployment are spread as it creates them', async () => {
  const { clock, user, errors, located, change, stop } = await spreadWorld();
  const template = { metadata: { labels: { app: 'web' } }, spec: templateOf('web', 'web:1') };
  const selector = { matchLabels: { app: 'web' } };
  await user.create(resources.UnitedDeployment, {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'UnitedDeployment',
    metadata: { ...AT },
    spec: {
      ...{ replicas: 0, selector },
      template: {
        cloneSetTemplate: {
          metadata: template.metadata,
          spec: { selector, template: template.spec },
        },
      },
      topology: { subsets: [{ name: 'one' }] },
    },
  });
  await clock.advance(20_000);
  const [child] = (await user.list(resources.CloneSet, { namespace: 'shop' })).items;
  expect(child?.metadata.name).toMatch(/^web-one/);
  const spread = zones('CloneSet', { a: 3, b: null });
  objectOf(objectOf(spread['spec'])['targetRef'])['name'] = child?.metadata.name ?? '';
  await user.create(resources.WorkloadSpread, spread);
  await clock.advance(2_000);
  await change(resources.UnitedDeployment, { replicas: 8 });
  await clock.advance(60_000);
  expect(await located()).toEqual([
    ...Array<string>(3).fill('node-a a'),
    ...Array<string>(5).fill('node-b b'),
  ]);
  await change(resources.UnitedDeployment, { replicas: 3 });
  await clock.advance(60_000);
  expect(await located()).toEqual(Array<string>(3).fill('node-a a'));
  expect(errors).toEqual([]);
  await stop();
});
