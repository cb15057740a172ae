import { sorted } from '../store/value.ts';
import { fieldAt } from '../../schemas/pods/fields.ts';
import { ApiError } from '../../schemas/wire/cluster.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { controllerReference } from './children.ts';
import { controllerRevisions, type WorkloadContext, type WorkloadResource } from './context.ts';
import type { PodOwner, PodTemplate } from './kinds.ts';
import { contentHash } from './replicaSets.ts';

export interface ControllerRevision extends KubeObject {
  revision: number;
  data?: unknown;
}

/** The label of a pod that names its revision. */
export const revisionLabel = 'controller-revision-hash';

/** What a revision stores: a patch that `kubectl rollout undo` sends, in the order in which Go writes it. */
function dataOf({ spec }: PodOwner): unknown {
  return sorted({ spec: { template: { ...spec.template, $patch: 'replace' } } });
}

/** The template that a revision stores. */
export function templateOf({ data }: ControllerRevision): PodTemplate {
  const { $patch: _patch, ...template } = fieldAt(data, ['spec', 'template']) as PodTemplate & {
    $patch?: string;
  };
  return template;
}

/** The revisions of a workload, the oldest first. */
export function revisionsOf(context: WorkloadContext, owner: KubeObject): ControllerRevision[] {
  return oldestFirst(context.children.of(controllerRevisions.id, owner));
}

function oldestFirst(revisions: readonly KubeObject[]): ControllerRevision[] {
  return ([...revisions] as ControllerRevision[]).sort((a, b) => a.revision - b.revision);
}

/**
 * The revision of the present template: the existing one, which becomes the latest, or a new one. Revisions without owner that
 * the selector matches are adopted first. `hashLabel`: the label of the revision for its hash. Where the name is taken it
 * counts the collision, and throws the refusal.
 */
export function ensureRevision(
  context: WorkloadContext,
  resource: WorkloadResource,
  owner: PodOwner & { status?: { collisionCount?: number } },
  hashLabel: string,
): ControllerRevision {
  const all = oldestFirst(context.claim(controllerRevisions, owner, owner.spec.selector));
  const data = dataOf(owner);
  const next = (all.at(-1)?.revision ?? 0) + 1;
  // Kubernetes compares bytes: the same template in another order is another revision.
  const text = JSON.stringify(data);
  const known = all.findLast((each) => JSON.stringify(each.data) === text);
  if (known !== undefined) {
    if (known !== all.at(-1)) context.patch(controllerRevisions, known, { revision: next });
    return context.latest(known) ?? known;
  }
  const hash = contentHash(data, owner.status?.collisionCount);
  const { name, namespace, annotations } = owner.metadata;
  const body = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      namespace,
      labels: { ...owner.spec.template.metadata?.labels, [hashLabel]: hash },
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    data,
    revision: next,
  };
  try {
    return context.create(controllerRevisions, body) as ControllerRevision;
  } catch (error) {
    const collisionCount = (owner.status?.collisionCount ?? 0) + 1;
    if (error instanceof ApiError && error.status.reason === 'AlreadyExists')
      context.writeStatus(resource, owner, { ...owner.status, collisionCount });
    throw error;
  }
}

/** Deletes the oldest revisions beyond the limit that nothing uses. */
export function forgetRevisions(
  context: WorkloadContext,
  owner: PodOwner & { spec: { revisionHistoryLimit?: number } },
  isUsed: (revision: ControllerRevision) => boolean,
): void {
  const unused = revisionsOf(context, owner).filter((revision) => !isUsed(revision));
  const surplus = unused.length - (owner.spec.revisionHistoryLimit ?? 10);
  for (const revision of unused.slice(0, Math.max(0, surplus))) context.remove(controllerRevisions, revision);
}
