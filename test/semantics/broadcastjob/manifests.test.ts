import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { lintBroadcastJob } from '../../../semantics/broadcastjob/git-lint.ts';
import { invalidBroadcastJob } from '../../../semantics/broadcastjob/invalid.ts';
import { normalizeBroadcastJob } from '../../../semantics/broadcastjob/normalize.ts';
import { jobOf } from './model.ts';

const pathsOf = (faults: readonly { path: string[] }[]): string[] => faults.map(({ path }) => path.join('.'));
const withSpec = (spec: JsonObject): KubeObject => jobOf({ nodes: '', spec });
const named = (name: string): KubeObject => ({ ...withSpec({}), metadata: { name } });
const completion = (completionPolicy: JsonObject): KubeObject => withSpec({ completionPolicy });
const template = (metadata: JsonObject, spec: JsonObject = { restartPolicy: 'Never' }): KubeObject =>
  withSpec({ template: { metadata, spec: { containers: [], ...spec } } });

const POLICY = 'spec.completionPolicy';
const LABELS = 'spec.template.metadata.labels';
const RESTART = 'spec.template.spec.restartPolicy';

describe('what admission refuses', () => {
  test.each<[what: string, manifest: KubeObject, faults: string[]]>([
    ['nothing (BJ-1)', withSpec({}), []],
    ['OnFailure (BJ-2)', template({}, { restartPolicy: 'OnFailure' }), []],
    ['no restartPolicy (BJ-2)', template({}, {}), [RESTART]],
    ['restartPolicy Always (BJ-2)', template({}, { restartPolicy: 'Always' }), [RESTART]],
    ['a TTL with Always', completion({ type: 'Always', ttlSecondsAfterFinished: 0 }), []],
    ['a deadline with the default', completion({ activeDeadlineSeconds: 1 }), []],
    [
      'a TTL with Never (BJ-3)',
      completion({ type: 'Never', ttlSecondsAfterFinished: 0 }),
      [`${POLICY}.ttlSecondsAfterFinished`],
    ],
    [
      'a deadline with Never (BJ-3)',
      completion({ type: 'Never', activeDeadlineSeconds: 1 }),
      [`${POLICY}.activeDeadlineSeconds`],
    ],
    ['null with Never', completion({ type: 'Never', ttlSecondsAfterFinished: null }), []],
    ['an empty label', template({ labels: { 'broadcastjob-name': '' } }), []],
    [
      'the label of the name (BJ-4)',
      template({ labels: { 'broadcastjob-name': 'x' } }),
      [`${LABELS}.broadcastjob-name`],
    ],
    [
      'the label of the uid (BJ-4)',
      template({ labels: { 'broadcastjob-controller-uid': 'x' } }),
      [`${LABELS}.broadcastjob-controller-uid`],
    ],
    ['63 characters', named('n'.repeat(63)), []],
    ['64 characters (BJ-5)', named('n'.repeat(64)), ['metadata.name']],
    ['a dot (BJ-5)', named('fix.1'), ['metadata.name']],
    [
      'a reserved key of pods',
      template({ annotations: { 'plan.kruise.io/x': '' } }),
      ['spec.template.metadata.annotations'],
    ],
    [
      'a record of plans',
      { ...withSpec({}), metadata: { name: 'fix', annotations: { 'plan.kruise.io/x': '' } } },
      ['metadata.annotations'],
    ],
  ])('%s', (_what, manifest, faults) => {
    expect(pathsOf(invalidBroadcastJob(manifest))).toEqual(faults);
  });
});

test.each<[parallelism: number | string | undefined, faults: string[]]>([
  [undefined, []],
  [1, []],
  ['1%', []],
  [0, ['spec.parallelism']],
  ['0%', ['spec.parallelism']],
  [-1, ['spec.parallelism']],
  ['many', ['spec.parallelism']],
])('parallelism %s is reported where no pod could ever start', (parallelism, faults) => {
  expect(pathsOf(lintBroadcastJob(withSpec(parallelism === undefined ? {} : { parallelism })))).toEqual(
    faults,
  );
});

describe('defaults (BJ-1)', () => {
  const defaults = {
    parallelism: 2147483647,
    isEndless: false,
    activeDeadlineSeconds: undefined,
    ttlSecondsAfterFinished: undefined,
    onFailure: 'FailFast',
    restartLimit: 0,
    paused: false,
  };

  test('of a template alone', () => {
    expect(normalizeBroadcastJob(withSpec({}))).toMatchObject(defaults);
  });

  test('all fields', () => {
    const spec = {
      parallelism: '10%',
      completionPolicy: { type: 'Always', activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 0 },
      failurePolicy: { type: 'Pause', restartLimit: 3 },
      paused: true,
    };
    expect(normalizeBroadcastJob(withSpec(spec))).toMatchObject({
      parallelism: '10%',
      isEndless: false,
      activeDeadlineSeconds: 60,
      ttlSecondsAfterFinished: 0,
      onFailure: 'Pause',
      restartLimit: 3,
      paused: true,
    });
  });

  test('Never ignores deadline and TTL (rule 6.6)', () => {
    const policy = { type: 'Never', activeDeadlineSeconds: 60, ttlSecondsAfterFinished: 0 };
    expect(normalizeBroadcastJob(completion(policy))).toMatchObject({ ...defaults, isEndless: true });
  });
});
