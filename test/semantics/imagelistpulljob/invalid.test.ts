import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { imageListPullJobKind } from '../../../semantics/imagelistpulljob/kind.ts';
import { listPullJob } from '../../fixtures/list-pull-jobs.ts';

const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `web:${index}`);

test.each<[string, JsonObject, string[]]>([
  ['nothing in the least one', {}, []],
  ['as many as there may be', { images: many(255) }, []],
  ['one more', { images: many(256) }, ['spec.images the maximum number of images cannot > 255']],
  ['none', { images: [] }, ['spec.images images can not be empty']],
  ['one twice', { images: ['a:1', 'a:1'] }, ['spec.images images cannot have duplicate values']],
  [
    'an empty one and no name',
    { images: ['a:1', '', 'b 1'] },
    ['spec.images.1 image can not be empty', 'spec.images.2 must be the name of an image'],
  ],
  [
    'a percentage',
    { parallelism: '10%' },
    ['spec.parallelism parallelism does not support percentage value'],
  ],
  [
    'a deadline that no job may have',
    { completionPolicy: { activeDeadlineSeconds: 60 } },
    [
      'spec.completionPolicy.activeDeadlineSeconds completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(default 600)',
    ],
  ],
])('what is refused in a list: %s', (_what, spec, faults) => {
  const found = imageListPullJobKind.validate(listPullJob('ahead', spec));
  expect(found.map(({ path, rule }) => `${path.join('.')} ${rule}`)).toEqual(faults);
});

test.each([
  ['images that are none', { images: [''] }],
  ['the annotation of a plan', {}],
])('what has ended is cleared up, whatever is edited in it: %s', (_what, spec) => {
  const at = '2026-01-01T00:00:00Z';
  const target = listPullJob('ahead', { completionPolicy: { ttlSecondsAfterFinished: 1 }, ...spec });
  target.metadata.annotations = { 'plan.kruise.io/policy': 'Required' };
  const ended = { ...target, status: { startTime: at, completionTime: at, desired: 1 } };
  const observe = (object: typeof target) =>
    imageListPullJobKind.observe({
      ...{ target: object, takenNames: new Set(), now: Date.UTC(2026, 1) },
    } as never);
  const { invalid, unsupported, decide } = observe(ended);
  expect([invalid, unsupported]).toEqual([[], []]);
  expect(decide(undefined).actions).toMatchObject([{ do: 'delete', kind: 'Target' }]);
  expect(observe(target).unsupported).toHaveLength(1);
});

test('a list that is held counts the jobs that go on by themselves', () => {
  const target = listPullJob('ahead', { images: ['a:1', 'a:1'] });
  target.metadata.uid = 'of-ahead';
  const owner = {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ImageListPullJob',
    name: 'ahead',
    uid: 'of-ahead',
  };
  const children = [1, 0].map((active) => ({
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'ImagePullJob',
    metadata: { name: `job-${active}`, namespace: 'shop', ownerReferences: [{ ...owner, controller: true }] },
    status: { active },
  }));
  const held = (status: JsonObject) =>
    imageListPullJobKind.observe({
      ...{ target: { ...target, status }, children, takenNames: new Set(), now: 0 },
    } as never);
  expect(held({ desired: 2, active: 2 }).whileHeld()).toMatchObject({ actions: [], status: { active: 1 } });
  expect(held({ active: 1 }).whileHeld().status).toEqual({});
});
