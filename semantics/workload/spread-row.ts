import type { KubeObject } from '../../schemas/wire/object.ts';
import type { RowOf } from '../kinds/lowering.ts';
import { objectOf } from '../values/read.ts';

/** A manifest of its namespace spreads its new pods. */
export const spreadRow: RowOf<{ object: KubeObject; inNamespace: readonly KubeObject[] }> = {
  what: 'a WorkloadSpread of it',
  instead: 'new pods are in no subset, unless OpenKruise is there',
  applies: ({ object, inNamespace }) =>
    inNamespace.some(({ apiVersion, kind, spec }) => {
      const { kind: ofKind, name } = objectOf(objectOf(spec)['targetRef']);
      const isSpread = kind === 'WorkloadSpread' && apiVersion.startsWith('apps.kruise.io/');
      return isSpread && ofKind === object.kind && name === object.metadata.name;
    }),
};
