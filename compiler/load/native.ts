import type { JsonObject } from '../../schemas/wire/json.ts';
import { isPlanned } from '../../semantics/kinds/kind.ts';
import { kinds, plannedKinds } from '../../semantics/registry/registry.ts';
import { type GroupKind, groupKindOf, tupleId } from '../../semantics/owner.ts';
import type { CompilerHost } from '../host.ts';
import type { Budget } from './budget.ts';
import { groupOf } from './identity.ts';
import { readOtherObjects } from './other-objects.ts';
import type { GivenText } from './read.ts';

/** Kinds of Kubernetes whose pods a planned kind can take over, those that one becomes in a build, and those whose pods another kind places. */
const natives: readonly GroupKind[] = [
  ...plannedKinds.flatMap(({ git: { native }, lowering }) => [
    ...(native === undefined ? [] : [native]),
    ...(lowering.of === 'object' ? [groupKindOf(lowering.to)] : []),
  ]),
  ...kinds.flatMap((kind) => (isPlanned(kind) ? [] : kind.git.spreadsNative)),
];

/** Whether a text may contain an object of these kinds. */
export function mayHoldNative(text: string): boolean {
  return natives.some(({ group, kind }) => text.includes(`${group}/`) && text.includes(kind));
}

/** The objects of these kinds in these files, by group, kind, namespace and name. */
export function readNatives(
  host: CompilerHost,
  files: readonly (string | GivenText)[],
  budget: Budget,
): Map<string, JsonObject> {
  return new Map(
    readOtherObjects(host, files, budget, (object) => nativeOf(object) !== undefined).flatMap(
      ({ object, namespace, name }) => {
        const id = nativeOf(object);
        return id === undefined ? [] : [[tupleId(id, namespace, name), object]];
      },
    ),
  );
}

/** The kind of Kubernetes that an object is of; undefined: of none of these. */
function nativeOf(object: JsonObject): GroupKind | undefined {
  const { apiVersion, kind } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') return undefined;
  const group = groupOf(object);
  return natives.find((each) => each.group === group && each.kind === kind);
}
