import type { JsonObject } from '../../schemas/wire/json.ts';
import type { KubeObject } from '../../schemas/wire/object.ts';
import { templateName } from '../../semantics/claims/unit.ts';
import type { Action } from '../../semantics/decision.ts';
import { patched } from '../../semantics/reconcile/patched.ts';
import { objectOf } from '../../semantics/values/read.ts';
import { READY_AFTER_MS } from './pod-model.ts';

/** Claims of a model cluster: every volume has grown a fixed time after its claim. It is a unit of time, not a prediction. */
export interface ClaimModel {
  claims(): KubeObject[];
  /** Executes an action on a claim. The caller executes all other actions. */
  apply(action: Action, now: number): void;
  /** Fills the claims whose time has come, and returns when the next one will be; undefined if none grows. */
  fill(now: number): number | undefined;
}

export function createClaimModel(initial: readonly KubeObject[]): ClaimModel {
  const rows = new Map(initial.map((claim) => [claim.metadata.name, claim] as const));
  const due = new Map<string, number>();
  return {
    claims: () => [...rows.values()],
    apply(action, now) {
      if (action.kind !== 'PersistentVolumeClaim') return;
      if (action.do === 'create') rows.set(action.object.metadata.name, bound(action.object));
      else if (action.do === 'delete') rows.delete(action.name);
      else {
        const claim = rows.get(action.name);
        if (claim === undefined) return;
        rows.set(action.name, patched(claim, action.body));
        due.set(action.name, now + READY_AFTER_MS);
      }
    },
    fill(now) {
      for (const [name, at] of due) {
        const claim = rows.get(name);
        if (at > now || claim === undefined) continue;
        due.delete(name);
        rows.set(name, bound(claim));
      }
      return due.size === 0 ? undefined : Math.min(...due.values());
    },
  };
}

/** The claim of a pod that has had a volume of the requested size for long. */
export function boundClaim(template: JsonObject, { metadata: { name, namespace } }: KubeObject): KubeObject {
  return bound({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name: `${templateName(template)}-${name}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {},
    },
    spec: objectOf(template['spec']),
  });
}

function bound(claim: KubeObject): KubeObject {
  const { requests } = objectOf(objectOf(claim['spec'])['resources']);
  return { ...claim, status: { phase: 'Bound', capacity: objectOf(requests) } };
}
