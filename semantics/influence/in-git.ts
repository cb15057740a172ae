import type { KubeObject } from '../../schemas/wire/object.ts';
import type { Disruption } from '../limits/slots.ts';
import type { GroupKind } from '../owner.ts';
import type { IntOrPercent } from '../values/int-or-percent.ts';

/** What git shows of objects that act on decisions about pods of others. All functions are pure. */
export interface InfluenceInGit {
  /** The test for workloads of its namespace on whose pods an object acts. */
  covers(object: KubeObject): (workload: WorkloadInGit) => boolean;
  /**
   * What an object allows of disruptions of its pods; undefined: it limits none of this sort, or git does not show how many.
   *
   * @param pods how many the workloads in git that it covers have
   */
  limit(object: KubeObject, how: Disruption, pods: number): LimitInGit | undefined;
  /** Whether an object keeps a PodDisruptionBudget for evictions of its pods, beside which there may be no other. */
  limitsEvictions(object: KubeObject): boolean;
}

/** A workload as far as objects in git tell it apart from others. */
export interface WorkloadInGit {
  id: GroupKind;
  name: string;
  /** Those of its pods. */
  labels: Readonly<Record<string, string>>;
}

/** How many pods an object lets be unavailable at once. */
export interface LimitInGit {
  /** The path of the field that says it. */
  path: readonly string[];
  value: IntOrPercent;
  most: number;
  /** Of so many. */
  total: number;
}
