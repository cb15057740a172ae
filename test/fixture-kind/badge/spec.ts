import type { Resource } from '../../../schemas/wire/cluster.ts';
import type { JsonObject } from '../../../schemas/wire/json.ts';
import type { KubeObject } from '../../../schemas/wire/object.ts';
import { INJECTED_ENV } from '../../../semantics/pod/own-parts.ts';
import type { LabelSelector } from '../../../semantics/values/selector.ts';

export const badgeResource: Resource = {
  group: 'test.plan.kruise.io',
  version: 'v1',
  plural: 'badges',
  kind: 'Badge',
  namespaced: false,
};

/** On a pod: which revision of a badge it wears, by its content hash. */
export const WORN_ANNOTATION = 'test.plan.kruise.io/worn';
/** On a revision: every new pod gets it, although it is not stable. */
export const NEW_PODS_ANNOTATION = 'test.plan.kruise.io/every-new-pod';

/** What a badge asks for. */
export interface BadgeSpec {
  selector: LabelSelector;
  containers: readonly JsonObject[];
  maxUnavailable: number;
  partition: number;
  paused: boolean;
  /** What a revision holds. */
  template: JsonObject;
}

/** The spec of a target, defaults filled in. */
export function specOf({ spec }: KubeObject): BadgeSpec {
  const {
    selector = {},
    containers = [],
    maxUnavailable = 1,
    partition = 0,
    paused = false,
  } = spec as Partial<BadgeSpec>;
  return {
    selector,
    containers,
    maxUnavailable,
    partition,
    paused,
    template: { spec: { containers: [...containers] } },
  };
}

/** The containers of a revision as pods have them. */
export function wornOf(template: JsonObject): JsonObject[] {
  const { containers = [] } = (template['spec'] ?? {}) as { containers?: JsonObject[] };
  return containers.map((each) => ({ ...each, env: [{ name: INJECTED_ENV, value: 'true' }] }));
}
