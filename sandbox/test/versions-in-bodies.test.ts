import { expect, test } from 'vitest';
import { configMap, configMaps, refusal, stage } from './world.ts';

const inDefault = (name: string) => ({ namespace: 'default', name });

test('an object to be created has no resourceVersion yet', async () => {
  const { alice } = stage({ nodes: 0 });
  expect(await refusal(alice.create(configMaps, configMap('a', { resourceVersion: '5' })))).toMatchObject({
    code: 500,
    reason: '',
    message: 'resourceVersion should not be set on objects to be created',
  });
});

test.each(['abc', '0', ''])('a resourceVersion of %j is ignored in a create', async (resourceVersion) => {
  const { alice } = stage({ nodes: 0 });
  const made = await alice.create(configMaps, configMap('a', { resourceVersion }));
  expect(made.metadata.resourceVersion).toMatch(/^[1-9]\d*$/);
});

test('a resourceVersion that is no number is refused in a PUT and in a patch', async () => {
  const { alice } = stage({ nodes: 0 });
  await alice.create(configMaps, configMap('a'));
  const refused = { code: 500, reason: '', message: 'strconv.ParseUint: parsing "abc": invalid syntax' };
  const body = configMap('a', { resourceVersion: 'abc' });
  expect(await refusal(alice.replace(configMaps, body))).toMatchObject(refused);
  const patch = { type: 'merge', body: { metadata: { resourceVersion: 'abc' } } } as const;
  expect(await refusal(alice.patch(configMaps, inDefault('a'), patch))).toMatchObject(refused);
});
