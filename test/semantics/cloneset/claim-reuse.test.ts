import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { normalizeCloneSet } from '../../../semantics/cloneset/normalize.ts';
import { claim, off, refusePods, setSpec, settle } from './claimed.ts';
import { createModel } from './model.ts';

/** As a Go client of `v1beta1` sends it: `omitempty` leaves out what is false. */
const asGoClient = (scaleStrategy: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(scaleStrategy).filter(([, value]) => value !== false));

const cloneSet = (version: string, scaleStrategy: JsonObject) => ({
  apiVersion: `apps.kruise.io/${version}`,
  kind: 'CloneSet',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { scaleStrategy },
});

test.each<[what: string, version: string, scaleStrategy: JsonObject, isReused: boolean]>([
  ['nothing is written', 'v1beta1', {}, true],
  ['false in YAML', 'v1beta1', { enablePVCReuse: false }, false],
  ['false of a Go client, which does not arrive', 'v1beta1', asGoClient({ enablePVCReuse: false }), true],
  ['disabled by a Go client of v1alpha1', 'v1alpha1', asGoClient({ disablePVCReuse: true }), false],
])('whether claims are taken over: %s', (_what, version, scaleStrategy, isReused) => {
  expect(normalizeCloneSet(cloneSet(version, scaleStrategy)).reuseClaims).toBe(isReused);
});

test('reuse off: after a change of the template the claim of a refused pod stays as it is, and is made anew once it is deleted', () => {
  const model = createModel({ spec: { replicas: 1, volumeClaimTemplates: [claim('data')], ...off } });
  const sizes = (): unknown[] =>
    model.claims.map(({ spec }) => (spec as { resources: { requests: unknown } }).resources.requests);
  refusePods(model, 2);
  setSpec(model, { volumeClaimTemplates: [claim('data', '2Gi')] });
  refusePods(model, 2);
  expect(sizes()).toEqual([{ storage: '1Gi' }]);
  model.claims = [];
  settle(model);
  expect(sizes()).toEqual([{ storage: '2Gi' }]);
  expect(model.pods).toHaveLength(1);
});
