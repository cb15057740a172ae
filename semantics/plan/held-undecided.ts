import type { KubeObject } from '../../schemas/wire/object.ts';
import { problemText } from '../fields/problems.ts';
import { shownError } from '../values/text.ts';
import { withoutStop } from './capacity.ts';
import type { RolloutView } from './rollout-view.ts';
import type { InvalidField, UnsupportedField } from '../fields/problems.ts';

/** Kind and name of a target: `KIND NAMESPACE/NAME`, or `KIND NAME` of one in no namespace. */
export function shownTarget({
  kind,
  namespace,
  name,
}: Pick<RolloutView, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;
}

/** The pods of the target belong to another controller, and adoption is not enabled. */
export function notAdopted({ kind, namespace, name }: Pick<RolloutView, 'kind' | 'namespace' | 'name'>): {
  reason: string;
  message: string;
} {
  return {
    reason: 'NotAdopted',
    message: `the pods of ${shownTarget({ kind, namespace, name })} were created by another controller, such as OpenKruise. Stop that controller, then start kruise run with --adopt`,
  };
}

/** A pod without controller is on a revision that another object controls: it is adopted once both are released. */
export function adoptionPending(
  pod: string,
  revision: string,
  controller: { kind: string; name: string } | undefined,
): { reason: string; message: string } {
  const owner =
    controller === undefined ? 'is being released' : `belongs to ${controller.kind} ${controller.name}`;
  return {
    reason: 'AdoptionPending',
    message: `pod ${pod} has no controller and will be adopted, but its ControllerRevision ${revision} ${owner}. Nothing is decided until that is released: finish the deletion of its owner with --cascade=orphan, or delete the pod if it is none of this target`,
  };
}

/**
 * An object of the target exceeds the memory limit for one object, or for all objects of its namespace, or the target has a
 * field that no rule reads. Nothing is decided on an incomplete snapshot.
 */
export function tooLarge(
  { metadata }: KubeObject,
  oversized: { kind: string; name: string; limit: 'object' | 'namespace' | InvalidField },
): { reason: string; message: string } {
  const which = `${oversized.kind} ${oversized.name}`;
  const { limit } = oversized;
  if (typeof limit === 'object') {
    const message = `${limit.path.join('.')} ${limit.rule}. No pod is changed until git corrects that`;
    return { reason: 'InvalidTarget', message };
  }
  const message =
    limit === 'object'
      ? `${which} exceeds the memory or nesting limit for one object. Make it smaller, or delete it if nothing needs it`
      : `no memory is left for ${which}: the objects of namespace ${metadata.namespace ?? ''}, or of all namespaces together, exceed the limit. Delete objects that nothing needs`;
  return { reason: 'TooLarge', message };
}

/** A target without plans has fields that its rules refuse. */
export function invalidTarget(fields: readonly InvalidField[]): { reason: string; message: string } {
  const faults = fields.map(problemText).join('; ');
  return { reason: 'InvalidTarget', message: `${faults}. Nothing is changed until git corrects that` };
}

/** A target without plans has fields that need rules which are not executed. */
export function unsupportedTarget(fields: readonly UnsupportedField[]): { reason: string; message: string } {
  const named = fields.map(({ path, what }) => `${path.join('.')} (${what})`).join(', ');
  return { reason: 'UnsupportedSemantics', message: `this runtime does not execute ${named}` };
}

/** What a plan or command about a target is refused with whose kind has none. */
export function reconciledAtOnce(kind: string): string {
  return `a ${kind} is reconciled at once and has no plan`;
}

/** The pods have claims that the runtime may not list. Without them no pod can be created or deleted. */
export function claimsForbidden(refusal: string): { reason: string; message: string } {
  return {
    reason: 'ClaimsUnseen',
    message: `its pods have claims, and they cannot be listed: ${withoutStop(refusal)}. Grant the right`,
  };
}

/** The target depends on objects that the runtime may not list. */
export function neededResourceForbidden(
  plural: string,
  refusal: string,
): { reason: string; message: string } {
  return {
    reason: 'NeedUnseen',
    message: `it depends on ${plural}, and they cannot be listed: ${withoutStop(refusal)}. Grant the right`,
  };
}

/** The target needs a resource that the server does not serve. */
export function neededResourceMissing(plural: string, answer: string): { reason: string; message: string } {
  return {
    reason: 'NeedUnseen',
    message: `it depends on ${plural}, and the server does not serve them: ${withoutStop(answer)}. Install their definition`,
  };
}

/** The target creates objects that the runtime has no rights to, as it is installed without a component. */
export function componentOff(plural: string, component: string): { reason: string; message: string } {
  return {
    reason: 'ComponentOff',
    message: `it creates ${plural}, which is off in this installation: an administrator adds the component ${component} of deploy/ (docs/install.md)`,
  };
}

/** The namespace of the target is being deleted: the server creates nothing there any more. */
export function namespaceTerminating(namespace: string): { reason: string; message: string } {
  return {
    reason: 'NamespaceTerminating',
    message: `namespace ${namespace} is being deleted, and so is everything in it: no pod is created or changed any more`,
  };
}

/** So is the namespace of the records of a cluster-scoped target. */
export function recordsTerminating(namespace: string): { reason: string; message: string } {
  return {
    reason: 'NamespaceTerminating',
    message: `its records are in namespace ${namespace}, which is being deleted: no pod is changed any more. Run the runtime with another --lease-namespace. It is retried every 30s`,
  };
}

/** The runtime failed on the target. */
export function internalError(error: unknown): { reason: string; message: string } {
  return {
    reason: 'InternalError',
    message: `the runtime failed on this target and does not change it: ${shownError(error)}. It retries every 30s. Undo the last manual change to the target, its pods and its ControllerRevisions. Report the error: it is a defect of the runtime`,
  };
}

/** For a minute the caches of these resources have been older than what the target was decided on, and no list completes. */
export function cachesStale(plurals: readonly string[]): { reason: string; message: string } {
  return {
    reason: 'CachesStale',
    message: `the caches have lagged behind recorded writes for a minute, and nothing is decided until they catch up. The log shows why lists of ${plurals.join(' and ')} do not complete`,
  };
}

/**
 * A list shows that the recorded resource versions are not of this server, or not yet. `versions`: the recorded version, by
 * plural name of the resource.
 */
export function recordDiscarded(versions: ReadonlyMap<string, number>): { reason: string; message: string } {
  const what = [...versions].map(([plural, version]) => `${plural} at version ${version}`).join(' and ');
  return {
    reason: 'RecordDiscarded',
    message: `the record refers to ${what}, which a later list shows the server never had. It was restored from a backup, or the record was edited. The rollout continues from what the server shows`,
  };
}

/** The server refuses the status of the target, as its definition bounds it. What happens could not be seen, so nothing does. */
export function statusRefused(refusal: string): { reason: string; message: string } {
  return {
    reason: 'StatusRefused',
    message: `its status cannot be written: ${withoutStop(refusal)}. Change what refuses it, or the field of the status that it names. No pod is changed until then; it is retried`,
  };
}

/** The server refuses to record a plan or a revision. Until it accepts, nothing is done, and no queue slot is taken. */
export function recordRefused(refusal: string): { reason: string; message: string } {
  return {
    reason: 'RecordRefused',
    message: `the record that must precede any change of pods cannot be written: ${withoutStop(refusal)}. Free some quota, grant the right or change what refuses it. It is retried every 30s`,
  };
}
