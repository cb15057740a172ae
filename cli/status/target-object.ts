import type { JsonObject } from '../../schemas/wire/json.ts';
import type { UnitCounts } from '../../semantics/kinds/kind.ts';
import { kindOf } from '../../semantics/registry/registry.ts';
import type { GitManifest } from '../../semantics/kinds/git-side.ts';
import { rolloutSize } from '../../semantics/kinds/git-units.ts';
import { groupKindOf } from '../../semantics/owner.ts';
import type { Condition, KubeObject } from '../../schemas/wire/object.ts';

/** A target of any kind, with the status fields that kinds have in common. */
export interface TargetObject extends KubeObject {
  status?: {
    observedGeneration?: number;
    updatedReplicas?: number;
    updatedAvailableReplicas?: number;
    expectedUpdatedReplicas?: number;
    readyReplicas?: number;
    availableReplicas?: number;
    /** Of a run: its phase, and nodes and pods by how far it is there. */
    phase?: string;
    desired?: number;
    active?: number;
    succeeded?: number;
    failed?: number;
    labelSelector?: string;
    currentRevision?: string;
    updateRevision?: string;
    conditions?: Condition[];
  };
}

/** The numbers of a target's units; a kind without numbers of its own has replicas. */
export function unitCountsOf(object: TargetObject): UnitCounts {
  const { status = {} } = object;
  const own = kindOf(groupKindOf(object))?.counted;
  if (own !== undefined) return own(status as JsonObject);
  const manifest = manifestOf(object);
  return {
    wanted: (manifest && rolloutSize(manifest.units)) ?? 0,
    updated: status.updatedReplicas ?? 0,
    ready: status.readyReplicas ?? 0,
    available: status.availableReplicas ?? 0,
    updatedAvailable: status.updatedAvailableReplicas ?? 0,
  };
}

/** The spec of a target in the common form; undefined if the kind is unknown to this version. */
export function manifestOf(object: TargetObject): GitManifest | undefined {
  return kindOf(groupKindOf(object))?.git.read(object);
}
