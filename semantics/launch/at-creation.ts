import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Container, Pod } from '../pod/types.ts';
import { listOf, objectOf, textOf } from '../values/read.ts';
import { isMirror } from '../pod/mirror.ts';
import { generatedName } from '../values/name-suffix.ts';
import { withLaunchOrder } from './barrier.ts';
import {
  barrierName,
  barrierPriorities,
  LAUNCHED_ANNOTATION,
  RELEASED_ANNOTATION,
} from '../pod/launching.ts';
import { invalidPriorities, numberedContainers } from './invalid.ts';
import { LAUNCH_PRIORITY_ENV, writtenPriorities } from '../pod/launch-priority.ts';
import { RELEASED_AT_ANNOTATION } from './release.ts';

/** The longest name of a ConfigMap. */
const LONGEST_NAME = 253;

/**
 * What a pod of any owner becomes when it is created, so that its containers start in the order that it asks for (OpenKruise
 * container-launch-priority, rule 6a). It comes after the injection of sidecars, which take part. Its barrier has its name: one
 * that is yet to be generated is fixed here. A pod without an order stays as it is, and so does one that was here before.
 *
 * @param requestId of the review: the generated name is drawn by it
 * @param isOurs whether a registered kind creates the pod: its name and priorities are those of its target then, and are not
 *   judged again
 * @returns `refused`: why the pod must not be created
 */
export function orderedAtCreation(
  pod: KubeObject,
  { requestId, isOurs }: { requestId: string; isOurs: boolean },
): { pod: KubeObject } | { refused: string } {
  const { annotations } = pod.metadata;
  if (isMirror(pod)) return { pod };
  const fault = isOurs ? undefined : faultOf(pod);
  if (fault !== undefined) return { refused: fault };
  const containers = listOf(objectOf(pod['spec'])['containers']) as unknown as Container[];
  if (writtenPriorities(annotations, containers).size === 0) return { pod: withLaunchOrder(pod) };
  const named = withoutRecord(withName(pod, requestId));
  if (barrierName(named.metadata.name).length > LONGEST_NAME)
    return {
      refused: `the containers of the pod start in an order, for which its name is too long: at most ${LONGEST_NAME - barrierName('').length} characters`,
    };
  // Its ConfigMap was created before it, with the highest key: an injected container must not get a higher one.
  const before = isOurs ? [...barrierPriorities(pod as Pod).values()] : [];
  return { pod: withLaunchOrder(named, before.length === 0 ? undefined : Math.max(...before)) };
}

/** A priority that is none. */
function faultOf(pod: KubeObject): string | undefined {
  for (const container of numberedContainers(pod as unknown as JsonObject)) {
    const [fault] = invalidPriorities(container);
    if (fault !== undefined)
      return `${LAUNCH_PRIORITY_ENV} of container ${textOf(container['name'])} ${fault.rule}`;
  }
  return undefined;
}

function withName(pod: KubeObject, requestId: string): KubeObject {
  const { name, generateName } = pod.metadata as { name?: string; generateName?: string };
  if (name || !generateName) return pod;
  return { ...pod, metadata: { ...pod.metadata, name: generatedName(generateName, requestId) } };
}

/** Without the record of another pod, of which this one is a copy: nothing of it is released yet. */
function withoutRecord(pod: KubeObject): KubeObject {
  const { annotations = {} } = pod.metadata;
  const kept = Object.entries(annotations).filter(([key]) => !LAUNCH_RECORD.includes(key));
  if (kept.length === Object.keys(annotations).length) return pod;
  return { ...pod, metadata: { ...pod.metadata, annotations: Object.fromEntries(kept) } };
}

/** What the runtime writes on a pod while its containers start. */
export const LAUNCH_RECORD: readonly string[] = [
  RELEASED_ANNOTATION,
  RELEASED_AT_ANNOTATION,
  LAUNCHED_ANNOTATION,
];
