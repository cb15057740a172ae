import type { PreDownload } from '../plan/units.ts';
import { revisionOf } from '../revision/revision.ts';
import { scaleIntOrPercent } from '../values/int-or-percent.ts';
import { changedImages, PRE_DOWNLOAD_ANNOTATION, preDownloadSettings } from '../workload/pre-download.ts';
import { partitionCount } from './partition.ts';
import { writtenLimits } from './limits.ts';
import type { DaemonSetView } from './view.ts';

/**
 * What OpenKruise would pull ahead of an update (advanced-daemonset, rule 6.10); undefined: nothing. Other than for workloads with
 * replicas, few nodes and pods that are recreated make no difference; and an image counts as changed that is another one than in any
 * revision that is left.
 *
 * @param nodes how many nodes are to run
 */
export function preDownloadOf(view: DaemonSetView, nodes: number): PreDownload | undefined {
  const { target, spec, revisions, liveHash } = view;
  if (target.metadata.annotations?.[PRE_DOWNLOAD_ANNOTATION] !== 'true') return undefined;
  if (spec.strategy.type === 'OnDelete') return undefined;
  const { maxUnavailable } = writtenLimits(target);
  const isAtOnce = scaleIntOrPercent(maxUnavailable, nodes, 'up') >= nodes;
  if (isAtOnce && partitionCount(spec.partition, nodes) === 0) return undefined;
  const live = revisionOf(view, liveHash);
  if (live === undefined) return undefined;
  const earlier = revisions.filter(({ hash }) => hash !== liveHash);
  const images = new Set(earlier.flatMap(({ template }) => changedImages(template, live.template)));
  if (images.size === 0) return undefined;
  // The least number of updated pods is read, and has no effect.
  const settings = preDownloadSettings(target, { fields: {}, replicas: nodes, takesPercentage: false });
  return { images: [...images].sort(), ...settings, minUpdatedReady: 0 };
}
