import type { KubeObject } from '../../schemas/wire/object.ts';
import { lintBroadcastJob } from '../broadcastjob/git-lint.ts';
import { normalizeBroadcastJob } from '../broadcastjob/normalize.ts';
import type { InvalidField } from '../fields/problems.ts';
import { readSchedule } from './schedule/grammar.ts';
import { nextTime } from './schedule/next.ts';
import { childOf, normalizeCronJob, templateField } from './normalize.ts';
import { objectOf } from '../values/read.ts';
import { apiVersionOf, childResources } from './resource.ts';

/** From here five years are searched for a time. They have a 29 February. */
const FROM = Date.UTC(2024, 0, 1);

/** What only the compiler reports: objects that OpenKruise accepts, and that never create a child. */
export function lintCronJob(manifest: KubeObject): InvalidField[] {
  const { schedule, timeZone, deadlineMs } = normalizeCronJob(manifest);
  const found: InvalidField[] = [];
  const read = readSchedule(schedule, timeZone);
  if (!('rule' in read) && nextTime(read, FROM) === undefined)
    found.push({ path: ['spec', 'schedule'], rule: 'must have a time: no day in five years matches it' });
  if (deadlineMs === 0)
    found.push({
      path: ['spec', 'startingDeadlineSeconds'],
      rule: 'must be at least 1, or every time is missed',
    });
  const template = objectOf(objectOf(manifest['spec'])['template']);
  const policy = objectOf(manifest['spec'])['concurrencyPolicy'];
  if (templateField(template)?.kind === 'ImageListPullJob' && policy === 'Allow')
    found.push({
      path: ['spec', 'concurrencyPolicy'],
      rule: 'must be Replace or Forbid with imageListPullJobTemplate: in a cluster Allow is read as Replace',
    });
  return [...found, ...childLint(manifest)];
}

function childLint(manifest: KubeObject): InvalidField[] {
  const template = objectOf(objectOf(manifest['spec'])['template']);
  const field = templateField(template);
  if (field?.kind !== 'BroadcastJob') return [];
  const path = ['spec', 'template', field.field];
  const child: KubeObject = {
    apiVersion: apiVersionOf(childResources.BroadcastJob),
    kind: 'BroadcastJob',
    metadata: { name: manifest.metadata.name },
    spec: objectOf(objectOf(template[field.field])['spec']),
  };
  const found = lintBroadcastJob(child).map((each) => ({ ...each, path: [...path, ...each.path] }));
  if (normalizeCronJob(manifest).concurrency === 'Forbid' && normalizeBroadcastJob(child).isEndless)
    found.push({
      path: [...path, 'spec', 'completionPolicy', 'type'],
      rule: 'must not be Never with the policy Forbid: the first child does not end, so there is no second',
    });
  return found;
}

/** Whether a CronJob of Kubernetes would do the same without a controller of its own. For a remark of the compiler. */
export function isNativeEnough(manifest: KubeObject): boolean {
  return childOf(normalizeCronJob(manifest).template)?.kind === 'Job';
}
