import type { JsonObject } from '../../../schemas/wire/json.ts';
import { cloneSetKind } from '../../../semantics/cloneset/kind.ts';
import { templateHash } from '../../../semantics/template/canonical.ts';
import { clusterWide, launchIn } from '../../deploy/roles.ts';
import type { Subject } from '../subject.ts';
import { brokenBounds } from '../pod-bounds.ts';
import { podRevision, podsOf, podUnit } from '../serving.ts';
import { changes, worlds } from './worlds.ts';

export const cloneSet: Subject = {
  kind: cloneSetKind,
  roles: [...clusterWide(), launchIn('shop')],
  hashOf: (manifest) => templateHash((manifest['spec'] as { template: JsonObject }).template),
  sizeOf: (target) => (target['spec'] as { replicas: number }).replicas,
  units: (objects, target) => podsOf(objects, target).map((pod) => podUnit(pod, podRevision(pod))),
  brokenBounds,
  paused: (paused) => ({ updateStrategy: { rollingUpdate: { paused } } }),
  changes,
  worlds,
};
