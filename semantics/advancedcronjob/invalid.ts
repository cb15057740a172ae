import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { invalidBroadcastJob } from '../broadcastjob/invalid.ts';
import type { InvalidField, UnsupportedField } from '../fields/problems.ts';
import { invalidListPull } from '../imagelistpulljob/invalid.ts';
import { unsupportedListPull } from '../imagelistpulljob/invalid.ts';
import { invalidLaunchOrder } from '../launch/invalid.ts';
import { readSchedule } from './schedule/grammar.ts';
import { zoneFault } from './schedule/offset.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf } from '../values/read.ts';
import { invalidTargetMetadata, invalidPodTemplate } from '../workload/invalid.ts';
import { templateField } from './normalize.ts';
import { type ChildKind, childResources, apiVersionOf } from './resource.ts';

/** Its children add a dash and ten digits, and their names are labels of pods (OpenKruise advancedcronjob, 10.5). */
const MAX_NAME_LENGTH = 52;
const DAY_SECONDS = 86_400;
/** Of a child whose own name is no matter here. */
const CHILD_NAME = 'child';

/**
 * Errors in an AdvancedCronJob that its schema cannot express: what OpenKruise's admission refuses (OpenKruise
 * advancedcronjob, section 7), and what no child could be created of. In the cluster such a target is held.
 */
export function invalidCronJob(target: KubeObject): InvalidField[] {
  const spec = objectOf(target['spec']);
  return [
    ...nameFaults(target.metadata.name),
    ...invalidTargetMetadata(target),
    ...scheduleFaults(spec['schedule'], spec['timeZone']),
    ...numberFaults(spec),
    ...templateFaults(objectOf(spec['template'])),
  ];
}

/** What its children do not execute: each of them would be held. */
export function unsupportedCronJob(target: KubeObject): UnsupportedField[] {
  const path = ['spec', 'template'];
  const template = objectOf(objectOf(target['spec'])['template']);
  const found = templateField(template);
  if (found?.kind !== 'ImageListPullJob') return [];
  const { metadata } = objectOf(template[found.field]);
  return unsupportedListPull({ ...target, metadata: { ...objectOf(metadata), name: CHILD_NAME } }).map(
    (field) => ({
      ...field,
      path: [...path, found.field, ...field.path],
    }),
  );
}

/** @param name of any type: the schema of the object reports one that is no text */
function nameFaults(name: unknown): InvalidField[] {
  if (typeof name !== 'string') return [];
  const path = ['metadata', 'name'];
  if (!/^[a-zA-Z0-9-]+$/.test(name))
    return [{ path, rule: 'must have no other characters than letters, digits and -' }];
  return name.length > MAX_NAME_LENGTH
    ? [
        {
          path,
          rule: `must have at most ${MAX_NAME_LENGTH} characters: those of its children have eleven more`,
        },
      ]
    : [];
}

function scheduleFaults(schedule: unknown, timeZone: unknown): InvalidField[] {
  const zone = typeof timeZone === 'string' ? timeZone : undefined;
  const read = readSchedule(typeof schedule === 'string' ? schedule : '', zone);
  const found = 'rule' in read ? [{ path: ['spec', read.field], rule: read.rule }] : [];
  const fault = zone === undefined ? undefined : zoneFault(zone);
  const isFound = found.some(({ path }) => path[1] === 'timeZone');
  return fault === undefined || isFound ? found : [...found, { path: ['spec', 'timeZone'], rule: fault }];
}

function numberFaults(spec: JsonObject): InvalidField[] {
  return ['startingDeadlineSeconds', 'successfulJobsHistoryLimit', 'failedJobsHistoryLimit']
    .filter((field) => (numberOf(spec[field]) ?? 0) < 0)
    .map((field) => ({ path: ['spec', field], rule: 'must not be negative' }));
}

function templateFaults(template: JsonObject): InvalidField[] {
  const path = ['spec', 'template'];
  const found = templateField(template);
  const count = Object.values(template).filter(isObject).length;
  if (count > 1) return [{ path, rule: 'must have exactly one template: of one kind of children' }];
  if (found === undefined) {
    const fields = 'jobTemplate, broadcastJobTemplate or imageListPullJobTemplate';
    return [{ path, rule: `must have a template: ${fields}` }];
  }
  const at = (field: InvalidField): InvalidField => ({
    ...field,
    path: [...path, found.field, ...field.path],
  });
  return childFaults(found.kind, objectOf(template[found.field])).map(at);
}

/** What the API server, or the rules of its kind, refuse of a child. OpenKruise does not check it, and retries for ever. */
function childFaults(kind: ChildKind, { metadata, spec }: JsonObject): InvalidField[] {
  const child: KubeObject = {
    apiVersion: apiVersionOf(childResources[kind]),
    kind,
    metadata: { ...objectOf(metadata), name: CHILD_NAME },
    spec: objectOf(spec),
  };
  if (kind === 'BroadcastJob') return invalidBroadcastJob(child);
  if (kind === 'ImageListPullJob')
    return [...invalidTargetMetadata(child), ...invalidListPull(child), ...dailyFaults(child)];
  const template = objectOf(objectOf(spec)['template']);
  return [
    ...invalidTargetMetadata(child),
    ...restartFaults(objectOf(template['spec'])['restartPolicy']),
    ...invalidPodTemplate(template),
    ...invalidLaunchOrder(template),
  ];
}

/** A pull at the times of a schedule ends before the next day, and is cleaned up by the schedule (OpenKruise advancedcronjob, section 7). */
function dailyFaults({ spec }: KubeObject): InvalidField[] {
  const path = ['spec', 'completionPolicy'];
  const policy = objectOf(objectOf(spec)['completionPolicy']);
  const found: InvalidField[] = [];
  if (policy['type'] === 'Never')
    found.push({ path: [...path, 'type'], rule: 'must be Always: the schedule pulls again' });
  if ((numberOf(policy['activeDeadlineSeconds']) ?? 0) > DAY_SECONDS)
    found.push({ path: [...path, 'activeDeadlineSeconds'], rule: `must be at most ${DAY_SECONDS}` });
  if (numberOf(policy['ttlSecondsAfterFinished']) !== undefined) {
    const rule = 'must be absent: the history limits of the schedule say how long children stay';
    found.push({ path: [...path, 'ttlSecondsAfterFinished'], rule });
  }
  return found;
}

function restartFaults(restartPolicy: unknown): InvalidField[] {
  if (restartPolicy === 'Never' || restartPolicy === 'OnFailure') return [];
  return [{ path: ['spec', 'template', 'spec', 'restartPolicy'], rule: 'must be Never or OnFailure' }];
}
