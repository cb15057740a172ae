import { expect, test } from 'vitest';
import { resources } from '../../../schemas/wire/resources.ts';
import { pod } from '../world.ts';
import { front } from './front.ts';

const jobs = '/apis/batch/v1/namespaces/default/jobs';
const orphans =
  '299 - "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"';

test.each([
  ['', orphans],
  ['?propagationPolicy=Background', undefined],
])('deleting a Job%s: what is said of its pods', async (query, expected) => {
  const { ask, alice } = await front();
  await alice.create(
    { ...resources.Pod, group: 'batch', version: 'v1', plural: 'jobs' },
    {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'a', namespace: 'default' },
      spec: { template: { spec: { ...(pod('p')['spec'] as object), restartPolicy: 'Never' } } },
    },
  );
  const { headers } = await ask(`${jobs}/a${query}`, { method: 'DELETE' });
  expect(headers['warning']).toBe(expected);
});

test('the second version of OpenAPI names no kind, in JSON and in what kubectl reads', async () => {
  const { ask } = await front();
  expect((await ask('/openapi/v2')).json).toMatchObject({ swagger: '2.0', paths: {}, definitions: {} });
  const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
  const { code, text, headers } = await ask('/openapi/v2', { headers: { accept } });
  expect([code, text]).toEqual([200, '\n\u00032.0']);
  expect(headers['content-type']).toBe('application/com.github.proto-openapi.spec.v2.v1.0+protobuf');
});
