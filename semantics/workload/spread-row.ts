import type { KubeObject } from '../../schemas/wire/object.ts';
import type { RowOf } from '../kinds/lowering.ts';
import { objectOf, textOf } from '../values/read.ts';
import { remembered } from '../values/remembered.ts';

/** A manifest of its namespace spreads its new pods. */
export const spreadRow: RowOf<{ object: KubeObject; inNamespace: readonly KubeObject[] }> = {
  what: 'a WorkloadSpread of it',
  instead: 'new pods are in no subset, unless OpenKruise is there',
  applies: ({ object, inNamespace }) => spreadIn(inNamespace).has(idOf(object.kind, object.metadata.name)),
};

/** The targets of WorkloadSpreads in a list of manifests, read once for all workloads of a namespace. */
const spreadIn = remembered(
  (manifests: readonly KubeObject[]): ReadonlySet<string> => new Set(manifests.flatMap(targetOf)),
);

function targetOf({ apiVersion, kind, spec }: KubeObject): string[] {
  if (kind !== 'WorkloadSpread' || !apiVersion.startsWith('apps.kruise.io/')) return [];
  const { kind: ofKind, name } = objectOf(objectOf(spec)['targetRef']);
  return [idOf(textOf(ofKind), textOf(name))];
}

const idOf = (kind: string, name: string): string => JSON.stringify([kind, name]);
