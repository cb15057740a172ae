import { expect, test } from 'vitest';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import { normalizeCloneSet } from '../../../semantics/cloneset/normalize.ts';

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
