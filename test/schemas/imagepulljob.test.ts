import { createVirtualClock, createWorld } from 'kruise-sandbox';
import { expect, it, test } from 'vitest';
import { crds } from '../../schemas/generated/crds.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../schemas/wire/json.ts';
import { resources } from '../../schemas/wire/resources.ts';
import { pullJob } from '../fixtures/pull-jobs.ts';
import { crd, deviations, fieldsOf, goldenFields, versionOf } from './crd-fields.ts';

const versions = ['v1alpha1', 'v1beta1'];
const KIND = 'ImagePullJob';
const GOLDEN = 'imagepulljob-fields.txt';
const schemaOf = (version: string) => versionOf(KIND, version).schema.openAPIV3Schema;

it.each(versions)('an ImagePullJob has every field of OpenKruise in %s, with its type', (version) => {
  const golden = goldenFields(GOLDEN).filter((field) => field.version === version);
  expect(golden.length).toBeGreaterThan(40);
  expect(deviations(schemaOf(version), golden)).toEqual([]);
});

it('an ImagePullJob has no field that neither version has, but conditions and the nodes of its day', () => {
  const known = new Set(goldenFields(GOLDEN).map(({ path }) => path));
  const extra = fieldsOf(schemaOf('v1beta1')).flatMap(({ path }) => (known.has(path) ? [] : [path]));
  expect(extra.filter((path) => !path.startsWith('status.conditions'))).toEqual([
    'apiVersion',
    'kind',
    'metadata',
    'status.pulledNodes',
    'status.pulledNodes[]',
  ]);
});

it.each([
  ['v1alpha1', ['MESSAGE string .status.message']],
  ['v1beta1', []],
])('the names and columns of %s', (version, last: string[]) => {
  const { group, scope, names } = crd(KIND);
  expect([group, scope]).toEqual(['apps.kruise.io', 'Namespaced']);
  expect(names).toEqual({
    kind: KIND,
    listKind: `${KIND}List`,
    plural: 'imagepulljobs',
    singular: 'imagepulljob',
  });
  const { additionalPrinterColumns, subresources } = versionOf(KIND, version);
  expect(
    additionalPrinterColumns.map(({ name, type, jsonPath }) => [name, type, jsonPath].join(' ')),
  ).toEqual([
    'TOTAL integer .status.desired',
    'ACTIVE integer .status.active',
    'SUCCEED integer .status.succeeded',
    'FAILED integer .status.failed',
    'AGE date .metadata.creationTimestamp',
    ...last,
  ]);
  expect(subresources).toEqual({ status: {} });
});

async function answered(write: () => Promise<unknown>): Promise<string> {
  try {
    await write();
    return '';
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error.status.message;
  }
}

const world = () =>
  createWorld({ clock: createVirtualClock(0), namespaces: ['shop'], crds: [...crds] }).cluster('user');

const ONLY_ALWAYS =
  'activeDeadlineSeconds and ttlSecondsAfterFinished can only work with Always CompletionPolicyType';

test.each([
  ['PJ-4: a percentage', { parallelism: '50%' }, 'parallelism does not support percentage value'],
  ['PJ-4: a number as a text', { parallelism: '5' }, ''],
  ['a number', { parallelism: 5 }, ''],
  ['a negative number', { parallelism: -1 }, 'greater than or equal to 0'],
  ['no image', { image: '' }, 'image can not be empty'],
  [
    'names and labels',
    { selector: { names: ['a'], matchLabels: { a: 'b' } } },
    'can not set both names and labelSelector in this spec.selector',
  ],
  ['two selectors', { selector: {}, podSelector: {} }, 'can not set both selector and podSelector'],
  ['an unknown type', { completionPolicy: { type: 'Once' } }, 'Unsupported value: "Once"'],
  ['a deadline with Never', { completionPolicy: { type: 'Never', activeDeadlineSeconds: 900 } }, ONLY_ALWAYS],
  ['a TTL with Never', { completionPolicy: { type: 'Never', ttlSecondsAfterFinished: 9 } }, ONLY_ALWAYS],
  [
    'a deadline shorter than an attempt',
    { completionPolicy: { activeDeadlineSeconds: 599 } },
    'completionPolicy.activeDeadlineSeconds must be greater than pullPolicy.timeoutSeconds(default 600)',
  ],
  ['a deadline as long as an attempt', { completionPolicy: { activeDeadlineSeconds: 600 } }, ''],
])('%s', async (_what, spec: JsonObject, message) => {
  const cluster = world();
  const answer = await answered(() => cluster.create(resources.ImagePullJob, pullJob('ahead', spec)));
  if (message === '') expect(answer).toBe('');
  else expect(answer).toContain(message);
});

test('PJ-19: pullSecrets never change; anything else may', async () => {
  const cluster = world();
  await cluster.create(resources.ImagePullJob, pullJob('ahead', { pullSecrets: ['one'] }));
  const at = { namespace: 'shop', name: 'ahead' };
  const change = (spec: JsonObject): Promise<string> =>
    answered(() => cluster.patch(resources.ImagePullJob, at, { type: 'merge', body: { spec } }));
  expect(await change({ pullSecrets: ['two'] })).toContain('spec.pullSecrets is immutable');
  expect(await change({ pullSecrets: null })).toContain('spec.pullSecrets is immutable');
  expect(await change({ image: 'web:2', parallelism: 3 })).toBe('');
});
