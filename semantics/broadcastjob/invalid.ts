import type { KubeObject } from '../../schemas/wire/object.ts';
import { isChildOfSchedule, WAVES_ANNOTATION, wavesOfChild } from '../children/waves.ts';
import type { InvalidField } from '../fields/problems.ts';
import { invalidLaunchOrder } from '../launch/invalid.ts';
import { objectOf } from '../values/read.ts';
import { labelsOf } from '../values/selector-mismatch.ts';
import { invalidTargetMetadata, invalidPodTemplate } from '../workload/invalid.ts';
import { JOB_NAME_LABEL, JOB_UID_LABEL } from './labels.ts';

/** The name is the value of a label. */
const MAX_NAME_LENGTH = 63;

const POLICY = ['spec', 'completionPolicy'];

/**
 * Errors in a BroadcastJob that its schema cannot express: what OpenKruise's admission refuses (OpenKruise broadcastjob,
 * section 7), and keys that only controllers may write. In the cluster such a target is held.
 */
export function invalidBroadcastJob(target: KubeObject): InvalidField[] {
  const spec = objectOf(target['spec']);
  const template = objectOf(spec['template']);
  return [
    ...nameFaults(target.metadata.name),
    ...invalidTargetMetadata(isChildOfSchedule(target) ? withoutWaves(target) : target),
    ...waveFaults(target),
    ...completionFaults(objectOf(spec['completionPolicy'])),
    ...restartFaults(objectOf(template['spec'])['restartPolicy']),
    ...labelFaults(labelsOf(template)),
    ...invalidPodTemplate(template),
    ...invalidLaunchOrder(template),
  ];
}

/** The waves of a child are written by its schedule; only then are they no reserved key. */
function withoutWaves(target: KubeObject): KubeObject {
  const { [WAVES_ANNOTATION]: _waves, ...annotations } = target.metadata.annotations ?? {};
  return { ...target, metadata: { ...target.metadata, annotations } };
}

/** A child must not run without its waves because somebody has edited them. */
function waveFaults(target: KubeObject): InvalidField[] {
  const text = target.metadata.annotations?.[WAVES_ANNOTATION];
  if (!isChildOfSchedule(target) || text === undefined || wavesOfChild(target) !== undefined) return [];
  return [
    {
      path: ['metadata', 'annotations', WAVES_ANNOTATION],
      rule: 'must be as its schedule has written it: a list of steps',
    },
  ];
}

/** @param name of any type: the schema of the object reports one that is no text */
function nameFaults(name: unknown): InvalidField[] {
  if (typeof name !== 'string') return [];
  const path = ['metadata', 'name'];
  if (!/^[a-zA-Z0-9-]+$/.test(name))
    return [{ path, rule: 'must have no other characters than letters, digits and -' }];
  return name.length > MAX_NAME_LENGTH
    ? [{ path, rule: `must have at most ${MAX_NAME_LENGTH} characters: it is a label of the pods` }]
    : [];
}

/** With Never the job does not end, so nothing can follow its end. */
function completionFaults(policy: Readonly<Record<string, unknown>>): InvalidField[] {
  if (policy['type'] !== 'Never') return [];
  return ['activeDeadlineSeconds', 'ttlSecondsAfterFinished']
    .filter((field) => policy[field] !== undefined && policy[field] !== null)
    .map((field) => ({ path: [...POLICY, field], rule: 'must not be set with the type Never' }));
}

/** A pod without this field is restarted for ever, and never ends. */
function restartFaults(restartPolicy: unknown): InvalidField[] {
  if (restartPolicy === 'Never' || restartPolicy === 'OnFailure') return [];
  return [{ path: ['spec', 'template', 'spec', 'restartPolicy'], rule: 'must be Never or OnFailure' }];
}

function labelFaults(labels: Readonly<Record<string, string>>): InvalidField[] {
  return [JOB_NAME_LABEL, JOB_UID_LABEL]
    .filter((key) => Boolean(labels[key]))
    .map((key) => ({
      path: ['spec', 'template', 'metadata', 'labels', key],
      rule: 'must not be set: every pod gets its own value',
    }));
}
