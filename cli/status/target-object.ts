import { kindOf } from '../../semantics/kinds/registry.ts';
import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';

/** What a target of whatever kind says of itself. */
export interface TargetObject extends KubeObject {
  status?: {
    observedGeneration?: number;
    updatedReplicas?: number;
    updatedAvailableReplicas?: number;
    expectedUpdatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    labelSelector?: string;
    currentRevision?: string;
    updateRevision?: string;
    conditions?: Condition[];
  };
}

/** What its manifest asks for, whatever its kind; undefined: this version does not know the kind. */
export function manifestOf(object: TargetObject): GitManifest | undefined {
  return kindOf(groupKindOf(object))?.git.read(object);
}
