import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { revise } from '../../../semantics/revision/revise.ts';
import { parseRevisions } from '../../../semantics/revision/revision.ts';
import { misshapenFields } from '../../../semantics/template/misshapen.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';

const target = {
  apiVersion: 'apps.kruise.io/v1beta1',
  kind: 'CloneSet',
  metadata: { name: 'web', namespace: 'shop', uid: 'u' },
} as KubeObject;

/** The writes of a target whose template has no revision yet, or whose revision is `created`. */
function writes(template: JsonObject, created: readonly KubeObject[] = []) {
  const history = {
    target,
    spec: { template },
    liveHash: templateHash(template),
    revisions: parseRevisions(created),
    takenNames: new Set<string>(),
  };
  return revise(history, { exist: false, counted: () => [] });
}

/** What a server that keeps unknown fields stores, whatever Kubernetes has there. */
const bodies: readonly [string, Json][] = [
  ['spec as a list', { spec: [{}] }],
  ['containers as an object', { spec: { containers: { a: 1 } } }],
  ['a container as a text', { spec: { containers: ['a'] } }],
  ['a container as null', { spec: { containers: [null] } }],
  ['resources as a text', { spec: { containers: [{ name: 'a', resources: '1' }] } }],
  ['a volume as a list', { spec: { volumes: [[]] } }],
  [
    'a claim of a volume as a number',
    { spec: { volumes: [{ name: 'a', ephemeral: { volumeClaimTemplate: 1 } }] } },
  ],
  ['metadata as a list', { metadata: [] }],
  ['a key like a prototype', JSON.parse('{"spec":{"__proto__":{"a":1},"containers":[]}}') as Json],
];

test.each(bodies)('the revision of a template is found again: %s', (_, body) => {
  const template = body as JsonObject;
  const [create] = writes(template);
  if (create?.do !== 'create') throw new Error('no revision is created');
  expect(writes(template, [create.object])).toEqual([]);
});

test.each(bodies.slice(0, -1))('such a template is invalid: %s', (_, body) => {
  expect(misshapenFields(body as JsonObject, ['spec', 'template'])).toHaveLength(1);
});

test('the directive of a revision is no part of a template', () => {
  expect(misshapenFields({ $patch: 'delete' }, ['spec', 'template'])).toEqual([
    { path: ['spec', 'template', '$patch'], rule: 'must not be set' },
  ]);
});
