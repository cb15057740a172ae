import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { childName } from '../../../semantics/children/tick.ts';
import { decideCronJob, type TickBound } from '../../../semantics/advancedcronjob/decide.ts';
import { normalizeCronJob } from '../../../semantics/advancedcronjob/normalize.ts';
import type { ChildKind } from '../../../semantics/advancedcronjob/resource.ts';
import {
  readTicks,
  type Tick,
  TICKS_ANNOTATION,
  ticksText,
} from '../../../semantics/advancedcronjob/ticks.ts';
import { type CronJobView, cronJobView } from '../../../semantics/advancedcronjob/view.ts';
import { controllerReference } from '../../../semantics/owner.ts';
import { stableRevision } from '../../../semantics/revision/revision.ts';
import { revisionData } from '../../../semantics/revision/revisions.ts';
import { timestamp } from '../../../semantics/values/timestamp.ts';

/** A template of pods that run once. */
export const onePod: JsonObject = {
  spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'job:1' }] },
};

/** The field of `spec.template` of a Job, or of a BroadcastJob. */
export const jobTemplate = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  jobTemplate: { metadata, spec: { template: onePod, ...spec } },
});
export const broadcastJobTemplate = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  broadcastJobTemplate: { metadata, spec: { template: onePod, ...spec } },
});

/** An AdvancedCronJob `tidy` of every hour. */
export function cronJobOf(spec: JsonObject = {}, metadata: Partial<KubeObject['metadata']> = {}): KubeObject {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'AdvancedCronJob',
    metadata: { name: 'tidy', namespace: 'ops', uid: 'cron-uid', ...metadata },
    spec: { schedule: '0 * * * *', template: jobTemplate(), ...spec },
  };
}

/** The day of all times here. */
const DAY = Date.UTC(2026, 2, 3);

/** `10:30`, or `10:30:15`, of that day as milliseconds since 1970. */
export function at(time: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
  return DAY + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** `10:30`, or `10:30:15`: the time of that day. */
export function clock(ms: number): string {
  const text = new Date(ms).toISOString().slice(11, 19);
  return text.endsWith(':00') ? text.slice(0, 5) : text;
}

/** An AdvancedCronJob `tidy`, created at 0:00, with its children at one time. */
export interface Given {
  now: string;
  spec?: JsonObject;
  status?: JsonObject;
  /** `9:00+ 10:00- 11:00`: the times of children. `+`: succeeded, `-`: failed, `x`: being deleted, `?`: not started. */
  children?: string;
  kind?: ChildKind;
  /** Ticks of the live template that are on record: `9:00+ 10:00-10:05 11:00`. */
  ticks?: string;
  /** Another template was stable; undefined: the live one. `none`: no template is. */
  stable?: 'other' | 'none';
  /** The spec of the other template. Default: that of `OTHER`. */
  other?: JsonObject;
  bound?: Partial<TickBound>;
  taken?: readonly string[];
}

const LIVE = (spec: JsonObject): JsonObject => normalizeCronJob(cronJobOf(spec)).template;
/** The template that was stable before. */
export const OTHER = LIVE({ template: jobTemplate({ backoffLimit: 0 }) });

export function targetOf({ spec = {}, status }: Given): KubeObject {
  return {
    ...cronJobOf(spec, { creationTimestamp: timestamp(at('0:00')), generation: 1 }),
    ...(status && { status }),
  };
}

export function childrenOf(given: Given): KubeObject[] {
  const target = targetOf(given);
  const { kind = 'Job', children = '' } = given;
  return words(children).map(([time, flags], index): KubeObject => {
    const end = flags.includes('+') ? 'Complete' : flags.includes('-') ? 'Failed' : undefined;
    return {
      apiVersion: kind === 'Job' ? 'batch/v1' : 'apps.kruise.io/v1beta1',
      kind,
      metadata: {
        name: childName(target, at(time)),
        namespace: 'ops',
        uid: `uid-${index}`,
        resourceVersion: String(index + 1),
        annotations: { 'apps.kruise.io/scheduled-at': timestamp(at(time)) },
        ownerReferences: [controllerReference(target)],
        ...(flags.includes('x') && { deletionTimestamp: timestamp(at(given.now)) }),
      },
      status: {
        ...(!flags.includes('?') && { startTime: timestamp(at(time)) }),
        ...(end !== undefined && { conditions: [{ type: end, status: 'True' }] }),
      },
    };
  });
}

/** `9:00+` as its time and its flags. */
function words(text: string): [time: string, flags: string][] {
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => {
      const [, time = '', flags = ''] = /^([0-9:]+)(.*)$/.exec(word) ?? [];
      return [time, flags];
    });
}

export function ticksOf(text: string): Tick[] {
  return words(text).map(([time, flags]): Tick => {
    if (flags === '+') return { at: at(time), outcome: 'succeeded' };
    if (flags === '') return { at: at(time), outcome: 'started' };
    return { at: at(time), outcome: 'failed', failedAt: at(flags.slice(1)) };
  });
}

/** `9:00+ 10:00-10:05 11:00`. */
export function shownTicks(ticks: readonly Tick[]): string {
  return ticks
    .map(({ at: time, outcome, failedAt = 0 }) => {
      const end = { started: '', succeeded: '+', failed: `-${clock(failedAt)}` }[outcome];
      return `${clock(time)}${end}`;
    })
    .join(' ');
}

export function revisionsOf({ spec = {}, ticks = '', stable, other }: Given): KubeObject[] {
  const revision = (
    template: JsonObject,
    number: number,
    annotations: Record<string, string>,
  ): KubeObject => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `tidy-${number}`,
      namespace: 'ops',
      uid: `revision-${number}`,
      resourceVersion: '1',
      annotations,
      ownerReferences: [controllerReference(cronJobOf())],
    },
    data: revisionData(template),
    revision: number,
  });
  const own: Record<string, string> = ticks === '' ? {} : { [TICKS_ANNOTATION]: ticksText(ticksOf(ticks)) };
  const complete = { 'plan.kruise.io/complete': '1' };
  return [
    ...(stable === 'other' ? [revision(other === undefined ? OTHER : LIVE(other), 1, complete)] : []),
    revision(LIVE(spec), 2, { ...own, ...(stable === undefined && complete) }),
  ];
}

export function viewOf(given: Given): CronJobView {
  return cronJobView({
    target: targetOf(given),
    children: childrenOf(given),
    revisions: revisionsOf(given),
    takenNames: new Set(given.taken),
    now: at(given.now),
  });
}

export function decide(given: Given): ReturnType<typeof decideCronJob> {
  const view = viewOf(given);
  const stable = stableRevision(view)?.hash ?? '';
  const bound: TickBound = {
    goal: view.liveHash,
    stable,
    allowed: 'unbounded',
    moving: true,
    touch: true,
    reason: 'no plan',
    ...given.bound,
  };
  return decideCronJob({ view, bound, held: undefined, keep: new Set() });
}

/** What a decision does: `create 11:00, delete 9:00, record 11:00`. Children of the earlier template: `create 11:00 old`. */
export function doneBy(given: Given): string {
  return decide(given)
    .actions.map((action) => {
      if (action.do === 'patch') {
        const { annotations = {} } = action.body['metadata'] as { annotations?: Record<string, string> };
        return `record ${shownTicks(readTicks(annotations[TICKS_ANNOTATION] ?? ''))}`.trim();
      }
      const name = action.do === 'create' ? action.object.metadata.name : action.name;
      const time = clock(Number(name.slice(name.lastIndexOf('-') + 1)) * 1000);
      const isOld = action.do === 'create' && (action.object['spec'] as JsonObject)['backoffLimit'] === 0;
      return `${action.do} ${time}${isOld ? ' old' : ''}`;
    })
    .join(', ');
}

export const reasonsOf = (given: Given): string[] => (decide(given).events ?? []).map(({ reason }) => reason);
