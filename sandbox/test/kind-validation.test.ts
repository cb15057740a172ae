import { describe, expect, test } from 'vitest';
import { stage } from './world.ts';
import { create, jobTemplate, resource, selector, template, type Name, faults } from './builtIn.ts';

describe('validation of a new', () => {
  const mismatch =
    'spec.template.metadata.labels: Invalid value: {"a":"b"}: `selector` does not match template `labels`';
  const other = { matchLabels: { z: 'z' } };
  const rows: [Name, Record<string, unknown>, string][] = [
    ['Deployment', { spec: { template } }, `[spec.selector: Required value, ${mismatch}]`],
    [
      'Deployment',
      { spec: { selector: other, template, replicas: -1 } },
      `[spec.replicas: Invalid value: -1: must be greater than or equal to 0, ${mismatch}]`,
    ],
    [
      'Deployment',
      { spec: { selector: {}, template: {} } },
      '[spec.selector: Invalid value: {}: empty selector is invalid for deployment, spec.template.spec.containers: Required value]',
    ],
    [
      'Deployment',
      {
        spec: {
          selector,
          template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
          strategy: { type: 'Recreate', rollingUpdate: { maxSurge: 1 } },
        },
      },
      '[spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always", spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is \'Recreate\']',
    ],
    [
      'Deployment',
      { spec: { selector, template, strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ],
    ['StatefulSet', { spec: { selector: other, template } }, mismatch],
    ['ReplicaSet', { spec: { selector: other, template } }, mismatch],
    ['DaemonSet', { spec: { selector: other, template } }, mismatch],
    [
      'Job',
      { spec: { template } },
      'spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"',
    ],
    [
      'CronJob',
      { spec: { schedule: 'a', jobTemplate: { spec: { template: jobTemplate } } } },
      'spec.schedule: Invalid value: "a": expected exactly 5 fields, found 1: [a]',
    ],
    [
      'ConfigMap',
      { data: { 'a b': 'c', x: 'y' }, binaryData: { x: 'ZA==' } },
      "[data[a b]: Invalid value: \"a b\": a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+'), data[x]: Invalid value: \"x\": duplicate of key present in binaryData]",
    ],
    [
      'Secret',
      { type: 'kubernetes.io/tls' },
      '[data[tls.crt]: Required value, data[tls.key]: Required value]',
    ],
    [
      'ControllerRevision',
      { revision: -1 },
      '[revision: Invalid value: -1: must be greater than or equal to 0, data: Required value: data is mandatory]',
    ],
    [
      'PodDisruptionBudget',
      { spec: { selector, minAvailable: '101%' } },
      'spec.minAvailable: Invalid value: "101%": must not be greater than 100%',
    ],
    [
      'PodDisruptionBudget',
      { spec: { selector, minAvailable: 1, maxUnavailable: 1 } },
      'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"a":"b"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
    [
      'PriorityClass',
      { value: 2_000_000_000 },
      'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
    ],
    ['StorageClass', {}, 'provisioner: Required value'],
  ];
  test.each(rows)('%s with %j', async (kind, fields, expected) => {
    expect(await faults(create(stage({ nodes: 0 }), kind, fields))).toBe(expected);
  });

  const tooLong = 'Too long: may not be more than 1048576 bytes';
  const large: [string, Name, Record<string, unknown>, string][] = [
    ['characters of two bytes', 'ConfigMap', { data: { a: 'é'.repeat(600_000) } }, `[]: ${tooLong}`],
    [
      'text and bytes together',
      'ConfigMap',
      { data: { a: 'x'.repeat(700_000) }, binaryData: { b: 'AAAA'.repeat(150_000) } },
      `[]: ${tooLong}`,
    ],
    ['one byte too many', 'Secret', { stringData: { a: 'x'.repeat(1_048_577) } }, `data: ${tooLong}`],
  ];
  test.each(large)('%s in a %s', async (_what, kind, fields, expected) => {
    expect(await faults(create(stage({ nodes: 0 }), kind, fields))).toBe(expected);
  });

  test('a Secret may have a mebibyte', async () => {
    const made = await create(stage({ nodes: 0 }), 'Secret', { stringData: { a: 'x'.repeat(1_048_576) } });
    expect(made.metadata.name).toBe('x');
  });
});

describe('what may not change of a', () => {
  const immutable = 'field is immutable';
  const rows: [Name, Record<string, unknown>, Record<string, unknown>, string][] = [
    [
      'Deployment',
      { spec: { selector, template } },
      { spec: { selector: { matchLabels: { q: 'r' } }, template: { metadata: { labels: { q: 'r' } } } } },
      `spec.selector: Invalid value: {"matchLabels":{"a":"b","q":"r"}}: ${immutable}`,
    ],
    [
      'StatefulSet',
      { spec: { selector, template } },
      { spec: { serviceName: 'y' } },
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
    [
      'Job',
      { spec: { template: jobTemplate } },
      { spec: { completions: 3 } },
      `spec.completions: Invalid value: 3: ${immutable}`,
    ],
    [
      'ConfigMap',
      { immutable: true, data: { a: 'b' } },
      { data: { a: 'c' } },
      'data: Forbidden: field is immutable when `immutable` is set',
    ],
    [
      'ConfigMap',
      { immutable: true },
      { immutable: false },
      'immutable: Forbidden: field is immutable when `immutable` is set',
    ],
    ['Secret', {}, { type: 'foo' }, `type: Invalid value: "foo": ${immutable}`],
    [
      'ControllerRevision',
      { data: { a: 1 }, revision: 1 },
      { data: { a: 2 } },
      `data: Invalid value: {"a":2}: ${immutable}`,
    ],
    ['PriorityClass', { value: 5 }, { value: 6 }, 'value: Forbidden: may not be changed in an update.'],
    [
      'StorageClass',
      { provisioner: 'p' },
      { provisioner: 'q' },
      'provisioner: Forbidden: updates to provisioner are forbidden.',
    ],
  ];
  test.each(rows)('%s %j', async (kind, fields, change, expected) => {
    const set = stage({ nodes: 0 });
    const { metadata } = await create(set, kind, fields);
    const patch = { type: 'merge', body: change as never } as const;
    expect(await faults(set.alice.patch(resource(kind), metadata, patch))).toBe(expected);
    const label = { type: 'merge', body: { metadata: { labels: { l: 'm' } } } } as const;
    expect((await set.alice.patch(resource(kind), metadata, label)).metadata.labels).toMatchObject({
      l: 'm',
    });
  });
});
