import { sameValue } from '../../schemas/pods/fields.ts';
import type { KubeObject, OwnerReference } from '../../schemas/wire/object.ts';
import { controllerReference } from './children.ts';
import type { Pod, StatefulSet } from './kinds.ts';
import { podOf } from './pods.ts';
import { revisionLabel, templateOf, type ControllerRevision } from './revisions.ts';

export interface Claim extends KubeObject {
  spec: Record<string, unknown>;
}

/** The ordinal in the name of a pod of this set. */
export function ordinalOf(set: StatefulSet, { metadata }: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const rest = metadata.name.slice(prefix.length);
  return metadata.name.startsWith(prefix) && /^\d+$/.test(rest) ? Number(rest) : undefined;
}

function claimTemplates({ spec }: StatefulSet): Claim[] {
  return spec.volumeClaimTemplates ?? [];
}

export function claimName(template: Claim, podName: string): string {
  return `${template.metadata.name}-${podName}`;
}

/** A new pod of an ordinal, of a revision. */
export function statefulPod(set: StatefulSet, ordinal: number, revision: ControllerRevision) {
  const template = templateOf(revision);
  const name = `${set.metadata.name}-${ordinal}`;
  const claims = claimTemplates(set);
  const claimed = new Set(claims.map(({ metadata }) => metadata.name));
  const volumes = [
    ...claims.map((claim) => ({
      name: claim.metadata.name,
      persistentVolumeClaim: { claimName: claimName(claim, name) },
    })),
    ...(template.spec.volumes ?? []).filter((volume) => !claimed.has(volume.name)),
  ];
  return podOf(set, template, {
    name,
    labels: {
      'apps.kubernetes.io/pod-index': String(ordinal),
      [revisionLabel]: revision.metadata.name,
      'statefulset.kubernetes.io/pod-name': name,
    },
    spec: {
      hostname: name,
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length === 0 ? {} : { volumes }),
    },
  });
}

/** The claims of a pod of this name. */
export function claimsOf(set: StatefulSet, podName: string) {
  return claimTemplates(set).map((template) => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: claimName(template, podName),
      namespace: set.metadata.namespace,
      labels: { ...template.metadata.labels, ...set.spec.selector?.matchLabels },
      ...(template.metadata.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
    },
    spec: template.spec,
  }));
}

/**
 * The owners of a claim by the retention policy: the set if the claim goes with it, the pod if the claim goes when the
 * set is scaled down (`surplus`). Undefined: they are as they should be.
 */
export function claimOwners(
  set: StatefulSet,
  claim: Claim,
  pod: Pod | undefined,
  surplus: boolean,
): OwnerReference[] | undefined {
  const { whenDeleted, whenScaled } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  const owners = claim.metadata.ownerReferences ?? [];
  const others = owners.filter(
    ({ kind, uid, name }) => uid !== set.metadata.uid && !(kind === 'Pod' && name === pod?.metadata.name),
  );
  const own: OwnerReference[] = [];
  if (surplus && whenScaled === 'Delete' && pod !== undefined)
    own.push({ apiVersion: 'v1', kind: 'Pod', name: pod.metadata.name, uid: pod.metadata.uid ?? '' });
  else if (whenDeleted === 'Delete') own.push(controllerReference(set));
  const wanted = [...others, ...own];
  return sameValue(wanted, owners) ? undefined : wanted;
}
