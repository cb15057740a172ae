import type { AdvancedCronJobStatus } from '../../schemas/generated/types/advancedcronjob.ts';
import { heldCondition, timed } from '../conditions/times.ts';
import { timestamp } from '../values/timestamp.ts';
import { childOf } from './normalize.ts';
import type { CronJobView } from './view.ts';

/** The whole desired status (OpenKruise advancedcronjob, section 3), of the children as observed before this decision. */
export function cronJobStatus(
  { active: running, spec, status: before, last, now }: CronJobView,
  held: { reason: string; message: string } | undefined,
): AdvancedCronJobStatus {
  const type = childOf(spec.template)?.kind;
  const active = running.map(({ object: { apiVersion, kind, metadata } }) => ({
    apiVersion,
    kind,
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    name: metadata.name,
    uid: metadata.uid ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
  }));
  const conditions = timed([heldCondition(held)], before.conditions, now);
  return {
    ...(type === undefined ? {} : { type }),
    ...(active.length === 0 ? {} : { active }),
    ...(last === undefined ? {} : { lastScheduleTime: timestamp(last) }),
    ...(conditions.length === 0 ? {} : { conditions }),
  };
}
