import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { childrenOf } from '../../../semantics/advancedcronjob/child.ts';
import { createChild } from '../../../semantics/advancedcronjob/new-child.ts';
import { normalizeCronJob } from '../../../semantics/advancedcronjob/normalize.ts';
import { cronJobOf, at } from './model.ts';

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
