import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { JOB_DEFAULTS } from '../broadcastjob/defaults.ts';
import { PULL_DEFAULTS } from '../imagepulljob/normalize.ts';
import { isFilled, withoutDefaults } from '../children/content.ts';
import { isObject } from '../values/json-shape.ts';
import { numberOf, objectOf } from '../values/read.ts';
import type { ChildKind } from './resource.ts';

/** What happens when a time comes and a child is unfinished. */
export type ConcurrencyPolicy = 'Allow' | 'Forbid' | 'Replace';

/** An AdvancedCronJob as the rules read it, of either served version, with defaults. */
export interface NormalCronJob {
  /** As written; it may be invalid. */
  schedule: string;
  /** Undefined: that of the schedule itself, or UTC. */
  timeZone: string | undefined;
  /** How late a child may be created, milliseconds; undefined: without limit. */
  deadlineMs: number | undefined;
  concurrency: ConcurrencyPolicy;
  paused: boolean;
  /** How many finished children are retained. */
  history: { succeeded: number; failed: number };
  /** The content of a revision: the child under the key `child`. */
  template: JsonObject;
}

/**
 * The fields of `spec.template` by the kinds of their children; the first one that is set counts. `defaults`: values of a child's spec that
 * mean the same as their absence. They are frozen: the hash of a template stands for them, too.
 */
export const TEMPLATE_FIELDS: readonly { field: string; kind: ChildKind; defaults: JsonObject }[] = [
  {
    ...{ field: 'jobTemplate', kind: 'Job' },
    defaults: { backoffLimit: 6, completionMode: 'NonIndexed', manualSelector: false, suspend: false },
  },
  { field: 'imageListPullJobTemplate', kind: 'ImageListPullJob', defaults: PULL_DEFAULTS },
  { field: 'broadcastJobTemplate', kind: 'BroadcastJob', defaults: JOB_DEFAULTS },
];

/**
 * Reads either served version (OpenKruise advancedcronjob, section 2): both have the same fields. The object must be valid
 * against the schema; a field of another type is read as absent.
 */
export function normalizeCronJob(object: KubeObject): NormalCronJob {
  const spec = objectOf(object['spec']);
  const deadline = numberOf(spec['startingDeadlineSeconds']);
  const template = objectOf(spec['template']);
  return {
    schedule: textOf(spec['schedule']) ?? '',
    timeZone: textOf(spec['timeZone']),
    deadlineMs: deadline === undefined ? undefined : deadline * 1000,
    concurrency: concurrencyOf(spec['concurrencyPolicy'], templateField(template)?.kind),
    paused: spec['paused'] === true,
    history: {
      succeeded: numberOf(spec['successfulJobsHistoryLimit']) ?? 3,
      failed: numberOf(spec['failedJobsHistoryLimit']) ?? 1,
    },
    template: contentOf(template),
  };
}

/** The field of `spec.template` that counts, and the kind of its children; undefined: none is set. */
export function templateField(template: JsonObject): (typeof TEMPLATE_FIELDS)[number] | undefined {
  return TEMPLATE_FIELDS.find(({ field }) => isObject(template[field]));
}

/** The child that the content of a revision describes; undefined: it describes none. */
export function childOf(
  content: JsonObject,
): { kind: ChildKind; metadata: JsonObject; spec: JsonObject } | undefined {
  const child = objectOf(content['child']);
  const { kind } = child;
  const found = TEMPLATE_FIELDS.find((each) => each.kind === kind)?.kind;
  if (found === undefined) return undefined;
  return { kind: found, metadata: objectOf(child['metadata']), spec: objectOf(child['spec']) };
}

function contentOf(template: JsonObject): JsonObject {
  const found = templateField(template);
  if (found === undefined) return {};
  const { metadata, spec } = objectOf(template[found.field]);
  const { labels, annotations } = objectOf(metadata);
  const own = {
    ...(isFilled(labels) && { labels }),
    ...(isFilled(annotations) && { annotations }),
  };
  return {
    child: { kind: found.kind, metadata: own, spec: withoutDefaults(objectOf(spec), found.defaults) },
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Two pulls of the same images are never wanted: that they are allowed is the default of the definition (OpenKruise advancedcronjob, 2). */
function concurrencyOf(policy: unknown, child: ChildKind | undefined): ConcurrencyPolicy {
  if (policy === 'Forbid' || policy === 'Replace') return policy;
  return child === 'ImageListPullJob' ? 'Replace' : 'Allow';
}
