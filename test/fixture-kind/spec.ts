import type { KubeObject } from '../../schemas/wire/object.ts';
import { noHooks } from '../../semantics/lifecycle/hooks.ts';
import type { WorkloadSpec } from '../../semantics/workload/view.ts';

/** The label by which a rack knows its pods. */
export const RACK_LABEL = 'test.plan.kruise.io/rack';

/** What a rack asks for. */
export interface RackSpec extends WorkloadSpec {
  slots: number;
  paused: boolean;
  /** So many slots stay on the old template. */
  partition: number;
  namespace: string | undefined;
  /** As long as there is a Secret of this name beside the pods, no slot is taken to another template. */
  lock: string | undefined;
  /** Each slot has a ConfigMap that says which image it is to hold. */
  cards: boolean | undefined;
}

/** The spec of a target, defaults filled in. */
export function specOf({ metadata, spec }: KubeObject): RackSpec {
  const {
    slots = 1,
    paused = false,
    partition = 0,
    template,
    namespace,
    lock,
    cards,
  } = spec as Partial<RackSpec>;
  return {
    slots,
    paused,
    partition,
    lock,
    cards,
    namespace: metadata.namespace ?? namespace,
    template: template ?? {},
    selector: { matchLabels: { [RACK_LABEL]: metadata.name } },
    volumeClaimTemplates: [],
    minReadySeconds: 0,
    lifecycle: noHooks,
    policy: 'ReCreate',
  };
}
