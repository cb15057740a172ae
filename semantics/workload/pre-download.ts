import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { PreDownload } from '../plan/units.ts';
import { revisionOf, stableRevision } from '../revision/revision.ts';
import { modeOfChange } from '../revision/change.ts';
import type { PodUpdatePolicy } from '../template/update-policy.ts';
import { type IntOrPercent, partitionValue, scaleIntOrPercent } from '../values/int-or-percent.ts';
import { listOf, numberOf, objectOf } from '../values/read.ts';
import type { Workload } from './view.ts';

/** Enables pre-download for one object. In OpenKruise it is a feature gate of the manager, off by default. */
export const PRE_DOWNLOAD_ANNOTATION = 'plan.kruise.io/image-predownload';

/** The settings that users give, as annotations of the object. */
const SETTING = 'apps.kruise.io/image-predownload-';
/** Targets of up to so many pods get no pre-download. */
const FEW = 3;
/** Seconds that one attempt may take where nobody says so. */
const TIMEOUT_SECONDS = 300;

/** What of a kind decides about its pre-download. */
export interface PreDownloadRules {
  replicas: number;
  onDelete: boolean;
  policy: PodUpdatePolicy;
  partition: IntOrPercent;
  maxUnavailable: IntOrPercent;
  /** The fields of `inPlaceUpdateStrategy` that the kind reads; they come before the annotations. */
  fields: JsonObject;
  /** A percentage as the least number of updated pods is of the replicas; false: it counts as absent. */
  takesPercentage: boolean;
}

/**
 * What OpenKruise would pull ahead of an update in place (inplace-update, rule 6.13); undefined: nothing. The last reasons are
 * that few pods would have to wait, that all go at once, and that pods are recreated.
 */
export function preDownloadOf(view: Workload, rules: PreDownloadRules): PreDownload | undefined {
  const { target, liveHash } = view;
  const { replicas, onDelete, policy, partition, maxUnavailable } = rules;
  if (target.metadata.annotations?.[PRE_DOWNLOAD_ANNOTATION] !== 'true') return undefined;
  if (onDelete || policy === 'ReCreate' || replicas <= FEW) return undefined;
  const isAtOnce = scaleIntOrPercent(maxUnavailable, replicas, 'down') >= replicas;
  if (isAtOnce && partitionValue(partition, replicas) === 0) return undefined;
  const [before, now] = [stableRevision(view), revisionOf(view, liveHash)];
  if (before === undefined || now === undefined || before.hash === now.hash) return undefined;
  if (modeOfChange(before, now, view.rules) !== 'InPlace') return undefined;
  const images = changedImages(before.template, now.template);
  return images.length === 0 ? undefined : { images, ...preDownloadSettings(target, rules) };
}

/** The images of the containers whose image is new or changed. Init containers do not run again in place. */
export function changedImages(before: JsonObject, now: JsonObject): string[] {
  const of = (template: JsonObject): [string, string][] =>
    listOf(objectOf(template['spec'])['containers']).flatMap(({ name, image }): [string, string][] =>
      typeof name === 'string' && typeof image === 'string' ? [[name, image]] : [],
    );
  const known = new Map(of(before));
  const changed = of(now).flatMap(([name, image]) => (known.get(name) === image ? [] : [image]));
  return [...new Set(changed)].sort();
}

/** What users set about it, with defaults. */
export function preDownloadSettings(
  target: KubeObject,
  { fields, replicas, takesPercentage }: Pick<PreDownloadRules, 'fields' | 'replicas' | 'takesPercentage'>,
): Omit<PreDownload, 'images'> {
  const { annotations = {} } = target.metadata;
  const text = (name: string): string | undefined => annotations[SETTING + name];
  const number = (field: string, name: string): number | undefined =>
    countOf(fields[field]) ?? countOf(text(name));
  const least = fields['imagePreDownloadMinUpdatedReadyPods'] ?? text('min-updated-ready-pods');
  const percentage = typeof least === 'string' && /^[0-9]{1,3}%$/.test(least) ? least : undefined;
  const ofPercentage =
    percentage === undefined || !takesPercentage ? 0 : scaleIntOrPercent(percentage, replicas, 'up');
  return {
    parallelism: number('imagePreDownloadParallelism', 'parallelism') ?? 1,
    attemptMs: (number('imagePreDownloadTimeoutSeconds', 'timeout-seconds') ?? TIMEOUT_SECONDS) * 1000,
    minUpdatedReady: countOf(least) ?? ofPercentage,
  };
}

/** A count, or text that is one; undefined: it is something else, and counts as absent. */
function countOf(value: unknown): number | undefined {
  if (typeof value === 'string' && /^[0-9]{1,9}$/.test(value)) return Number(value);
  const count = numberOf(value);
  return count === undefined || count < 0 ? undefined : count;
}
