import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { loweringTo, type RowOf, type Neighbors } from '../kinds/lowering.ts';
import { objectOf, textOf } from '../values/read.ts';
import { launchOrderRow, plainFields, plainMetadata, requiredRow } from '../workload/plain.ts';
import { templateField } from './normalize.ts';
import { readSchedule, withoutZone } from './schedule/grammar.ts';

/** The zone of a schedule that names none: Kubernetes would take that of its controller. */
const UTC = 'Etc/UTC';

const MINUTE_MS = 60_000;

interface Read extends Neighbors {
  object: KubeObject;
  /** The kind of its children; undefined: it has no template that is executed. */
  child: string | undefined;
  /** Of its pods. */
  template: JsonObject;
}

const stays: readonly RowOf<Read>[] = [
  {
    what: 'broadcastJobTemplate',
    instead: 'a CronJob creates Jobs alone',
    applies: ({ child }) => child === 'BroadcastJob',
  },
  {
    what: 'imageListPullJobTemplate',
    instead: 'a CronJob creates Jobs alone',
    applies: ({ child }) => child === 'ImageListPullJob',
  },
  {
    what: '@every with less than a minute',
    instead: 'the names of Jobs of one minute are the same, so that one alone is created',
    applies: ({ object }) => delayOf(object) < MINUTE_MS,
  },
];

/** An AdvancedCronJob of Jobs as a CronJob (OpenKruise advancedcronjob, section 12). */
export const cronJobLowering = loweringTo<Read>({
  to: { apiVersion: 'batch/v1', kind: 'CronJob' },
  stays,
  losses: [requiredRow, launchOrderRow],
  differs: [
    'the names of Jobs end in minutes, not in seconds',
    'Jobs have the annotation batch.kubernetes.io/cronjob-scheduled-timestamp instead of that of OpenKruise',
    'its status records the last time of a schedule, so that none runs twice',
  ],
  read(object, around) {
    const template = objectOf(objectOf(object['spec'])['template']);
    const found = templateField(template);
    const child = objectOf(objectOf(template[found?.field ?? ''])['spec']);
    return { ...around, object, child: found?.kind, template: objectOf(child['template']) };
  },
  lower(object) {
    const spec = objectOf(object['spec']);
    const { own, rest } = withoutZone(textOf(spec['schedule']));
    const { concurrencyPolicy, startingDeadlineSeconds, paused } = spec;
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = spec;
    return {
      metadata: plainMetadata(object),
      spec: plainFields({
        schedule: rest,
        timeZone: spec['timeZone'] ?? own ?? UTC,
        concurrencyPolicy,
        startingDeadlineSeconds,
        suspend: paused === true ? true : undefined,
        successfulJobsHistoryLimit,
        failedJobsHistoryLimit,
        jobTemplate: objectOf(objectOf(spec['template'])['jobTemplate']),
      }),
    };
  },
});

/** The delay of `@every`; Infinity of a schedule by the clock, which has at most one time a minute. */
function delayOf({ spec }: KubeObject): number {
  const { schedule, timeZone } = objectOf(spec);
  const found = readSchedule(textOf(schedule), typeof timeZone === 'string' ? timeZone : undefined);
  return 'everyMs' in found ? found.everyMs : Infinity;
}
