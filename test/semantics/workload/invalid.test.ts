import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { invalidWorkloadFields } from '../../../semantics/workload/invalid.ts';
import { normalizeCloneSet } from '../../../semantics/cloneset/normalize.ts';

const template = (pod: JsonObject = {}): JsonObject => ({
  metadata: { labels: { app: 'web', tier: 'front' } },
  spec: { containers: [{ name: 'main', image: 'web:1' }], ...pod },
});

function faults(spec: JsonObject): string[] {
  const object = { apiVersion: 'apps.kruise.io/v1beta1', kind: 'CloneSet', metadata: { name: 'web' }, spec };
  return invalidWorkloadFields(normalizeCloneSet(object)).map(
    ({ path, rule }) => `${path.join('.')} ${rule}`,
  );
}

describe('invalid targets that no schema can refuse', () => {
  const ok: JsonObject = { matchLabels: { app: 'web' } };
  test.each<[string, JsonObject, JsonObject, string[]]>([
    ['all is well', ok, template(), []],
    ['restartPolicy Always', ok, template({ restartPolicy: 'Always' }), []],
    [
      'an expression that matches',
      { matchExpressions: [{ key: 'tier', operator: 'Exists' }] },
      template(),
      [],
    ],
    [
      'another label',
      { matchLabels: { app: 'web', tier: 'back' } },
      template(),
      ['spec.selector does not match the labels of the template: tier is "front" there, "back" here'],
    ],
    [
      'a label that is missing',
      { matchLabels: { toString: 'x' } },
      template(),
      ['spec.selector does not match the labels of the template: toString is missing there, "x" here'],
    ],
    [
      'an expression that does not match',
      { matchExpressions: [{ key: 'tier', operator: 'NotIn', values: ['front'] }] },
      template(),
      ['spec.selector does not match the labels of the template: tier notin (front)'],
    ],
    [
      'empty',
      {},
      template(),
      ['spec.selector must not be empty: it would select every pod of the namespace'],
    ],
    ['an account of the namespace', ok, template({ serviceAccountName: 'db' }), []],
    ...['serviceAccountName', 'serviceAccount'].flatMap((field) =>
      ['kruise-runtime', 'team-kruise-runtime'].map((account): [string, JsonObject, JsonObject, string[]] => [
        `${account} as ${field}`,
        ok,
        template({ [field]: account }),
        [
          `spec.template.spec.${field} must not be an account of the runtime (kruise-runtime): its pods would have the rights of the runtime`,
        ],
      ]),
    ),
    [
      'reserved keys of pods, of which three are named',
      ok,
      {
        ...template(),
        metadata: {
          labels: { app: 'web', 'pod-template-hash': 'x' },
          annotations: {
            'pub.kruise.io/a': '',
            'pub.kruise.io/b': '',
            mine: '',
            'pub.kruise.io/c': '',
            'pub.kruise.io/d': '',
          },
          finalizers: ['kruise.io/x'],
        },
      },
      [
        'spec.template.metadata.labels must not have pod-template-hash: only what manages the pods writes that',
        'spec.template.metadata.annotations must not have pub.kruise.io/a, pub.kruise.io/b, pub.kruise.io/c and 1 more: only what manages the pods writes that',
        'spec.template.metadata.finalizers must not have kruise.io/x: only what manages the pods writes that',
      ],
    ],
    [
      'an expression without values',
      { matchExpressions: [{ key: 'tier', operator: 'In' }] },
      template(),
      ['spec.selector.matchExpressions.0.values In needs at least one value'],
    ],
    [
      'a template whose pods end',
      ok,
      template({ restartPolicy: 'Never', activeDeadlineSeconds: 60 }),
      [
        'spec.template.spec.restartPolicy must be Always',
        'spec.template.spec.activeDeadlineSeconds must not be set',
      ],
    ],
  ])('%s', (_what, selector, of, expected) => {
    expect(faults({ selector, template: of })).toEqual(expected);
  });
});
