import type { PatchAction } from '../decision.ts';
import { containerStatus, withResourceVersion } from '../pod/in-place.ts';
import type { Pod } from '../pod/types.ts';
import { timestamp } from '../values/timestamp.ts';
import { textOf } from '../values/read.ts';
import type { InjectedRevision } from './injected-revision.ts';
import { withUpdate } from './pod-annotations.ts';
import { changeText } from './pod-record.ts';
import { STATE_ANNOTATION } from './resource.ts';
import { containerNames } from './unit.ts';
import { upgradablePatch } from './upgradable.ts';

/**
 * The update of one pod in place (OpenKruise sidecarset, rule 6.9): images of the containers of a set, its annotations and
 * records in one write, bound to the version that it was decided on. Then the pod is marked as upgradable. `refused`: why the
 * pod cannot be written.
 *
 * @param to the revision that the pod gets
 * @param reason why it is updated now
 */
export function updatePod(
  pod: Pod,
  to: InjectedRevision,
  reason: string,
  now: number,
): PatchAction | { refused: string } {
  const { name, annotations = {}, namespace } = pod.metadata;
  const time = timestamp(now);
  const updated = withUpdate(annotations, to, time);
  if ('refused' in updated) return updated;
  const images = imagesOf(pod, to);
  const changed = Object.fromEntries(
    images.map((each) => [each.name, containerStatus(pod, each.name)?.imageID ?? '']),
  );
  const set = to.set.name;
  if (images.length > 0)
    updated.annotations[STATE_ANNOTATION] = changeText(
      pod,
      { set, hash: to.hash, time },
      changed,
      restartsOf(pod, to),
    );
  const different = Object.entries(updated.annotations).filter(([key, value]) => annotations[key] !== value);
  const condition = upgradablePatch(pod, set, true, now);
  const about = { kind: 'Pod', name, ...(namespace !== undefined && { namespace }), reason } as const;
  return {
    do: 'patch',
    ...about,
    verb: 'update in place',
    body: withResourceVersion(pod, {
      metadata: { annotations: Object.fromEntries(different) },
      ...(images.length > 0 && { spec: { containers: images } }),
    }),
    ...(condition !== undefined && {
      next: { do: 'patch', ...about, verb: 'mark upgradable', subresource: 'status', body: condition },
    }),
  };
}

/** The images that differ, by container. Everything else in a container cannot change in place. */
function imagesOf(pod: Pod, { containers }: InjectedRevision): { name: string; image: string }[] {
  return containers.flatMap(({ name, container }) => {
    const image = textOf(container['image']);
    const now = pod.spec.containers.find((each) => each.name === name)?.image;
    return now === undefined || now === image ? [] : [{ name, image }];
  });
}

function restartsOf(pod: Pod, { containers }: InjectedRevision): Record<string, number> {
  const names = containers.flatMap(containerNames);
  return Object.fromEntries(names.map((name) => [name, containerStatus(pod, name)?.restartCount ?? 0]));
}
