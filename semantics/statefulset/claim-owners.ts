import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { claimTemplatesOf } from '../claims/templates.ts';
import { claimNameOf, claimsOf } from '../claims/unit.ts';
import type { PatchAction } from '../decision.ts';
import type { Pod } from '../pod/types.ts';
import { revisionOf } from '../revision/revision.ts';
import { plainReference } from './claim-naming.ts';
import { ordinalOf } from './ordinals.ts';
import type { Layout } from './slots.ts';
import type { StatefulSetView } from './view.ts';

/**
 * Sets and removes the owners of claims that have a pod, so that the garbage collector deletes them as
 * `persistentVolumeClaimRetentionPolicy` says (OpenKruise advanced-statefulset, rule 6.11). Owners are compared by uid. Claims
 * without a pod are left alone.
 *
 * | whenScaled | whenDeleted | owners of the claim                                                   |
 * | ---------- | ----------- | --------------------------------------------------------------------- |
 * | Retain     | Retain      | none                                                                  |
 * | Retain     | Delete      | the StatefulSet                                                       |
 * | Delete     | Retain      | its pod if the ordinal is out of range or reserved                    |
 * | Delete     | Delete      | its pod if the ordinal is out of range or reserved, else the StatefulSet |
 *
 * @returns the patches, and the names of the pods whose claims they change: such a pod must not be deleted before
 */
export function claimOwners(
  view: StatefulSetView,
  { slots, condemned, leaving }: Layout,
): { actions: PatchAction[]; pods: ReadonlySet<string> } {
  const wanted = slots.flatMap(({ pod, ended, terminating }) => pod ?? ended ?? terminating ?? []);
  const changes = [
    ...wanted.map((pod) => ({ pod, actions: ownersOf(view, pod, false) })),
    ...[...condemned, ...leaving].map((pod) => ({ pod, actions: ownersOf(view, pod, true) })),
  ].filter(({ actions }) => actions.length > 0);
  return {
    actions: changes.flatMap(({ actions }) => actions),
    pods: new Set(changes.map(({ pod }) => pod.metadata.name)),
  };
}

function ownersOf(view: StatefulSetView, pod: Pod, isOut: boolean): PatchAction[] {
  const { target, spec, claims } = view;
  if (claims.length === 0) return [];
  const dies = isOut && spec.claimsWhenScaled === 'Delete';
  const goesWithSet = !dies && spec.claimsWhenDeleted === 'Delete';
  const owners = [
    { reference: plainReference(target), isWanted: goesWithSet },
    { reference: plainReference({ ...pod, apiVersion: 'v1', kind: 'Pod' }), isWanted: dies },
  ];
  const reason = dies
    ? `is deleted with pod ${pod.metadata.name}: whenScaled is Delete`
    : goesWithSet
      ? 'is deleted with the StatefulSet: whenDeleted is Delete'
      : 'stays: persistentVolumeClaimRetentionPolicy retains it';
  return mountedClaims(view, pod).flatMap((claim) => {
    const known = new Set(claim.metadata.ownerReferences?.map(({ uid }) => uid));
    const changes = owners.flatMap(({ reference, isWanted }): JsonObject[] => {
      if (known.has(reference.uid) === isWanted) return [];
      return [isWanted ? { ...reference } : { $patch: 'delete', uid: reference.uid }];
    });
    return changes.length === 0 ? [] : [patchOwners(claim, changes, reason)];
  });
}

/** The claims of the templates of the pod's revision; of an unknown revision the live templates. */
function mountedClaims(view: StatefulSetView, pod: Pod): KubeObject[] {
  const id = String(ordinalOf(pod.metadata.name, view.target.metadata.name) ?? '');
  const revision = revisionOf(view, view.hashOf(pod));
  const templates =
    revision === undefined ? view.spec.volumeClaimTemplates : claimTemplatesOf(view, revision);
  const names = new Set(templates.map((template) => claimNameOf(view.target, template, id)));
  return claimsOf(view, id).filter(({ metadata }) => names.has(metadata.name));
}

function patchOwners(claim: KubeObject, ownerReferences: JsonObject[], reason: string): PatchAction {
  const { name, uid = '', resourceVersion = '' } = claim.metadata;
  return {
    do: 'patch',
    kind: 'PersistentVolumeClaim',
    verb: 'set claim owners',
    name,
    body: { metadata: { uid, resourceVersion, ownerReferences } },
    reason,
  };
}

/**
 * What a missing pod waits for: a claim of its ordinal that belongs to an earlier pod, which is gone. The garbage collector
 * deletes that claim, or removes this owner (OpenKruise advanced-statefulset, rule 6.11). Undefined: nothing.
 */
export function claimOfEarlierPod(
  view: StatefulSetView,
  ordinal: number,
  podName: string,
): string | undefined {
  const isStale = ({ apiVersion, kind, name }: OwnerReference): boolean =>
    apiVersion === 'v1' && kind === 'Pod' && name === podName;
  const earlier = claimsOf(view, String(ordinal)).find(({ metadata }) =>
    metadata.ownerReferences?.some(isStale),
  );
  return earlier === undefined
    ? undefined
    : `${podName} waits for the garbage collector: claim ${earlier.metadata.name} belongs to an earlier pod of that name`;
}
