import type { KubeObject } from '../../schemas/wire/object.ts';
import type { CreateAction, DeleteAction } from '../decision.ts';
import { controllerReference } from '../owner.ts';
import { carriedOver } from '../pod/reserved-keys.ts';
import type { Revision } from '../revision/revision.ts';
import { timestamp } from '../values/timestamp.ts';
import type { Child } from './child.ts';
import { childName, SCHEDULED_AT_ANNOTATION } from '../children/tick.ts';
import { childOf } from './normalize.ts';
import { apiVersionOf, childResources } from './resource.ts';
import { readWaves, WAVES_ANNOTATION } from '../children/waves.ts';

/** The creation of the child of a tick (OpenKruise advancedcronjob, section 5); undefined: the revision describes no child. */
export function createChild(
  target: KubeObject,
  { template, object: revision }: Pick<Revision, 'template' | 'object'>,
  tick: number,
): CreateAction | undefined {
  const content = childOf(template);
  if (content === undefined) return undefined;
  const { kind, metadata, spec } = content;
  const resource = childResources[kind];
  const waves = revision.metadata.annotations?.[WAVES_ANNOTATION];
  const name = childName(target, tick);
  const { namespace } = target.metadata;
  const object: KubeObject = {
    apiVersion: apiVersionOf(resource),
    kind,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: carriedOver({ metadata }, 'labels', 'target'),
      annotations: {
        ...carriedOver({ metadata }, 'annotations', 'target'),
        [SCHEDULED_AT_ANNOTATION]: timestamp(tick),
        ...(kind === 'BroadcastJob' && readWaves(waves) !== undefined ? { [WAVES_ANNOTATION]: waves } : {}),
      },
      ownerReferences: [controllerReference(target)],
    },
    // It is required, and left out where it has nothing but defaults.
    spec: kind === 'ImageListPullJob' ? { completionPolicy: {}, ...spec } : spec,
  };
  return {
    do: 'create',
    kind: 'Child',
    resource,
    object,
    verb: 'create',
    reason: `${timestamp(tick)} is a time of its schedule`,
    event: { type: 'Normal', reason: 'SuccessfulCreate', message: `Created ${kind} ${name}` },
  };
}

/** The deletion of a child with its pods, as it was observed. */
export function deleteChild({ kind, object }: Child, reason: string): DeleteAction {
  const { name, uid = '', resourceVersion = '' } = object.metadata;
  return {
    do: 'delete',
    kind: 'Child',
    resource: childResources[kind],
    name,
    uid,
    resourceVersion,
    propagationPolicy: 'Background',
    verb: 'delete',
    reason,
    event: { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted ${kind} ${name}` },
  };
}
