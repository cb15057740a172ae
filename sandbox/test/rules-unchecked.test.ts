import { expect, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pod, refusal, stage, widget, widgets } from './world.ts';

const at = { namespace: 'default', name: 'a' };
const unchecked = {
  reason: 'FieldValueInvalid',
  field: '<nil>',
  message:
    'Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
};

const cloneSet = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: { name: 'a', namespace: 'default' },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: pod('p')['spec'] },
  },
};

test('wrong types skip the rules of a schema, which is reported if it has any', async () => {
  const { alice } = stage({ nodes: 0, crds });
  await alice.create(resources.CloneSet, cloneSet);
  const wrong = { type: 'merge', body: { spec: { minReadySeconds: 'five' } } } as const;
  const { details } = await refusal(alice.patch(resources.CloneSet, at, wrong));
  expect(details?.causes?.map(({ field }) => field)).toEqual(['spec.minReadySeconds', '<nil>']);
  expect(details?.causes?.at(-1)).toEqual(unchecked);
});

test('values out of bounds leave them checked', async () => {
  const { alice } = stage({ nodes: 0, crds });
  await alice.create(resources.CloneSet, cloneSet);
  const wrong = { type: 'merge', body: { spec: { replicas: -2 } } } as const;
  const { details } = await refusal(alice.patch(resources.CloneSet, at, wrong));
  expect(details?.causes?.map(({ field }) => field)).toEqual(['spec.replicas', '.spec.replicas']);
});

test('a schema without rules has none to leave out', async () => {
  const { alice } = stage({ nodes: 0 });
  await alice.create(widgets, widget('a'));
  const wrong = { type: 'merge', body: { spec: { size: 'big' } } } as const;
  const { details } = await refusal(alice.patch(widgets, at, wrong));
  expect(details?.causes?.map(({ field }) => field)).not.toContain('<nil>');
});
