import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { childrenOf } from '../../../semantics/advancedcronjob/child.ts';
import { createChild } from '../../../semantics/advancedcronjob/new-child.ts';
import { unsupportedCronJob } from '../../../semantics/advancedcronjob/invalid.ts';
import { normalizeCronJob } from '../../../semantics/advancedcronjob/normalize.ts';
import { at, cronJobOf, doneBy, type Given, jobTemplate } from './model.ts';

const target = cronJobOf({
  template: {
    imageListPullJobTemplate: {
      metadata: { labels: { team: 'a' } },
      spec: {
        ...{ images: ['web:1', 'db:1'], completionPolicy: { type: 'Always' }, parallelism: 5 },
        pullPolicy: { timeoutSeconds: 600, backoffLimit: 3 },
      },
    },
  },
});

const created = () => {
  const { template } = normalizeCronJob(target);
  const object = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata: { name: 'r' } };
  return createChild(target, { template, object }, at('1:00'));
};

test('a schedule of images creates lists, in which defaults need not stand', () => {
  expect(created()).toMatchObject({
    do: 'create',
    resource: { kind: 'ImageListPullJob' },
    object: {
      metadata: { labels: { team: 'a' } },
      spec: { images: ['web:1', 'db:1'], parallelism: 5, completionPolicy: {} },
    },
    event: { message: expect.stringMatching(/^Created ImageListPullJob tidy-[0-9]+$/) },
  });
});

test('lists that wait for a plan are not executed, and neither is their schedule; those of other kinds are', () => {
  const metadata = { annotations: { 'plan.kruise.io/policy': 'Required' } };
  const spec = { images: ['web:1'] };
  const asked = cronJobOf({ template: { imageListPullJobTemplate: { metadata, spec } } });
  expect(unsupportedCronJob(asked).map(({ path }) => path)).toEqual([
    ['spec', 'template', 'imageListPullJobTemplate', 'metadata', 'annotations', 'plan.kruise.io/policy'],
  ]);
  const others: JsonObject[] = [
    { imageListPullJobTemplate: { metadata: { annotations: { 'plan.kruise.io/policy': 'Auto' } }, spec } },
    { imageListPullJobTemplate: { spec } },
    { imageListPullJobTemplate: 'x' },
    { broadcastJobTemplate: { metadata, spec } },
  ];
  for (const template of others) expect(unsupportedCronJob(cronJobOf({ template }))).toEqual([]);
});

test.each<[string, JsonObject, string, string | undefined]>([
  ['one that has not started', {}, 'active', undefined],
  ['one on its way', { startTime: 'x', desired: 2, succeeded: 1 }, 'active', undefined],
  [
    'AC-20: one that ended with fewer successes than images',
    { completionTime: '2026-03-03T01:01:00Z', desired: 2, succeeded: 1 },
    'failed',
    '"1 of 2 images failed"',
  ],
  [
    'one that ended with all',
    { completionTime: '2026-03-03T01:01:00Z', desired: 2, succeeded: 2 },
    'succeeded',
    undefined,
  ],
])('%s', (_what, status, state, failure) => {
  const action = created();
  const object = action?.do === 'create' ? action.object : target;
  expect(childrenOf(target, [{ ...object, status }])).toMatchObject([
    { kind: 'ImageListPullJob', tick: at('1:00'), state, failure },
  ]);
});

const images: JsonObject = {
  template: { imageListPullJobTemplate: { spec: { images: ['web:1'], completionPolicy: {} } } },
};
const allowed: JsonObject = { concurrencyPolicy: 'Allow' };
const jobs: JsonObject = { template: jobTemplate({ backoffLimit: 0 }) };

test.each<[string, Partial<Given>, string]>([
  [
    'Jobs, though images wait for a plan',
    { spec: { ...images, ...allowed }, other: jobs },
    'create 02:00 old',
  ],
  [
    'Jobs, when images are the first that run',
    { spec: { ...images, ...allowed }, kind: 'Job' },
    'create 02:00',
  ],
  [
    'no list, though Jobs wait for a plan',
    { spec: { ...jobs, ...allowed }, other: images, kind: 'ImageListPullJob' },
    'delete 01:00, create 02:00',
  ],
  [
    'no list, when images run',
    { spec: { ...images, ...allowed }, kind: 'ImageListPullJob' },
    'delete 01:00, create 02:00',
  ],
  [
    'nothing with Replace',
    { spec: { ...images, concurrencyPolicy: 'Replace' }, other: jobs },
    'delete 01:00, create 02:00 old',
  ],
])('what runs goes by the template of the tick, and Allow keeps %s', (_what, given, done) => {
  const stable = given.other === undefined ? {} : { stable: 'other' as const, bound: { allowed: 0 } };
  expect(doneBy({ now: '2:00', children: '1:00', ...stable, ...given })).toBe(done);
});
