import type { JsonObject } from '../../../schemas/wire/json.ts';
import { cloneSetKind } from '../../../semantics/cloneset/kind.ts';
import type { Pod } from '../../../semantics/pod/types.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { clusterWide } from '../../deploy/roles.ts';
import type { Subject } from '../subject.ts';
import { brokenBounds } from '../pod-bounds.ts';
import { podsOf, podUnit } from '../serving.ts';
import { changes, worlds } from './worlds.ts';

export const cloneSet: Subject = {
  kind: cloneSetKind,
  roles: clusterWide(),
  hashOf: (manifest) => templateHash((manifest['spec'] as { template: JsonObject }).template),
  sizeOf: (target) => (target['spec'] as { replicas: number }).replicas,
  units: (objects, target) => podsOf(objects, target).map((pod) => podUnit(pod, revisionOf(pod))),
  brokenBounds,
  paused: (paused) => ({ updateStrategy: { rollingUpdate: { paused } } }),
  changes,
  worlds,
};

/** `web:1`, or `web:1 debug` where the container has that in its environment. */
function revisionOf({ spec }: Pod): string {
  const [{ image, env } = { image: '', env: undefined }] = spec.containers as unknown as {
    image: string;
    env?: { value: string }[];
  }[];
  return [image, ...(env ?? []).map(({ value }) => value)].join(' ');
}
