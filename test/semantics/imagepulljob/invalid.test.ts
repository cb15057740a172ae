import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { invalidPullJob } from '../../../semantics/imagepulljob/invalid.ts';
import { imagePullJobKind } from '../../../semantics/imagepulljob/kind.ts';
import { rulesFor } from '../../../semantics/registry/registry.ts';
import { pullJob } from '../../fixtures/pull-jobs.ts';

describe('what is refused in a job', () => {
  test.each<[string, JsonObject, string[]]>([
    ['nothing in the least one', {}, []],
    ['a digest is fine', { image: `registry.example:5000/a/web@sha256:${'a'.repeat(64)}` }, []],
    ['no image', { image: '' }, ['spec.image image can not be empty']],
    ['a name with blanks', { image: 'web 1' }, ['spec.image must be the name of an image']],
    ['a name without an end', { image: 'a'.repeat(2_000) }, ['spec.image must be the name of an image']],
    [
      'a name of a node twice',
      { selector: { names: ['a', 'a'] } },
      ['spec.selector.names duplicated name in selector names'],
    ],
    [
      'PJ-4: a percentage',
      { parallelism: '10%' },
      ['spec.parallelism parallelism does not support percentage value'],
    ],
    ['half a node', { parallelism: 0.5 }, ['spec.parallelism must be a whole number that is not negative']],
    [
      'metadata for a container runtime is no metadata of pods',
      {
        sandboxConfig: {
          labels: { 'controller-revision-hash': 'x', 'plan.kruise.io/pull': 'x' },
          annotations: { 'x.y/z': 'b' },
        },
      },
      [],
    ],
  ])('%s', (_what, spec, faults) => {
    const found = invalidPullJob(pullJob('ahead', spec));
    expect(found.map(({ path, rule }) => `${path.join('.')} ${rule}`)).toEqual(faults);
  });
});

test('one that is being deleted is let go, whatever it asks for: OpenKruise may have left a finalizer', () => {
  const job = pullJob('ahead');
  job.metadata.annotations = { 'plan.kruise.io/policy': 'Required' };
  job.metadata.deletionTimestamp = '2026-01-01T00:00:00Z';
  job.metadata.finalizers = ['apps.kruise.io/deletion-protection'];
  const rules = rulesFor(imagePullJobKind, job);
  const objects = { target: job, pods: [], revisions: [], takenNames: new Set<string>(), now: 0 };
  const snapshot = rules.shape === 'Standing' ? rules.observe(objects) : expect.unreachable();
  expect(snapshot.release()).toMatchObject([{ do: 'patch', verb: 'release' }]);
});

test.each([
  [undefined, 'Standing'],
  ['Auto', 'Standing'],
  ['Required', 'Run'],
  // As of any other target, an unknown value is the stricter one.
  ['required', 'Run'],
])('a job with the policy %s is reconciled as a target of the shape %s', (policy, shape) => {
  const job = pullJob('ahead');
  if (policy !== undefined) job.metadata.annotations = { 'plan.kruise.io/policy': policy };
  expect(rulesFor(imagePullJobKind, job).shape).toBe(shape);
});
